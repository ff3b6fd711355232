#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "base/mutation.h"
#include "http/raw_client.h"
#include "http/server.h"

namespace tacho::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kAsk = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

class HostileClientTest : public testing::Test {
 protected:
  void begin(Limits limits = {}) {
    server_ = *Server::start({.port = 0, .limits = limits}, [](const Request& request) {
      return Response{.content_type = "text/plain", .body = "fine " + request.body};
    });
  }
  std::string ask(std::string_view request) {
    RawClient client(server_->port());
    client.send(request);
    return client.rest();
  }
  void expect_served() {
    RawClient client(server_->port());
    client.send(kAsk);
    EXPECT_THAT(client.answer(), EndsWith("fine "));
  }
  std::unique_ptr<Server> server_;
};

TEST_F(HostileClientTest, WhatIsNoRequestIsSaidSo) {
  begin();
  EXPECT_THAT(ask("hello\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("GET / HTTP/9.9\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("GET nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("BREW / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 501"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  expect_served();
}

TEST_F(HostileClientTest, TooLongIsRefusedBeforeItIsRead) {
  begin({.header_bytes = 2000, .body_bytes = 100});
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nX: " + std::string(5000, 'a')), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(ask("GET /" + std::string(100000, 'a')), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" +
                  std::string(0x65, 'a') + "\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  expect_served();
}

TEST_F(HostileClientTest, TheAnswerReachesAClientThatStillSends) {
  begin({.body_bytes = 100});
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n" +
                  std::string(200000, 'a')),
              StartsWith("HTTP/1.1 413"));
}

TEST_F(HostileClientTest, HalfARequestEndsByItself) {
  begin({.request = std::chrono::milliseconds(50)});
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHos"), "");
  EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel"), "");
  while (server_->counts().timed_out < 2) std::this_thread::yield();  // counted once it is closed
  RawClient gone(server_->port());
  gone.send("GET / HT");
  gone.finish_sending();
  EXPECT_EQ(gone.rest(), "");
}

TEST_F(HostileClientTest, SilenceEndsByItself) {
  begin({.idle = std::chrono::milliseconds(30)});
  EXPECT_EQ(ask(""), "");
  EXPECT_THAT(ask(kAsk), EndsWith("fine "));  // and then the server closes
}

TEST_F(HostileClientTest, AClientThatDoesNotReadIsLeft) {
  Limits limits{.send = std::chrono::milliseconds(100)};
  server_ = *Server::start({.port = 0, .limits = limits}, [](const Request&) {
    return Response{.content_type = "text/plain", .body = std::string(64 << 20, 'x')};
  });
  RawClient client(server_->port());
  client.send(kAsk);
  while (server_->counts().timed_out == 0) std::this_thread::yield();
}

TEST_F(HostileClientTest, ManySlowClientsKeepNobodyOut) {
  begin({.connections = 50});
  std::deque<RawClient> slow;
  for (int i = 0; i < 400; ++i) {
    slow.emplace_back(server_->port());
    slow.back().send("GET / HTTP/1.1\r\nX-Slow: ");
    if (i % 20 == 0) expect_served();
  }
  // One that is put out is counted until its socket is closed.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (server_->counts().connections > 50 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_LE(server_->counts().connections, 50U);
  EXPECT_GE(server_->counts().evicted, 300U);
}

TEST_F(HostileClientTest, AnyBytesAreSurvived) {
  begin({.request = std::chrono::milliseconds(100)});
  Random random = Random::scattered(3);
  const std::string good =
      "POST /a%20b?x=%41&y HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (int i = 0; i < 1500; ++i) {
    RawClient client(server_->port());
    client.send(mutated(good, random));
    client.finish_sending();
    if (i % 3 == 0) client.rest();  // the others go without listening
    if (i % 100 == 0) expect_served();
  }
  expect_served();
}

}  // namespace
}  // namespace tacho::http
