#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "base/mutation.h"
#include "serving/http/raw_client.h"
#include "serving/http/server.h"

namespace tacho::http {
namespace {

using testing::AllOf;
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

TEST_F(HostileClientTest, RejectsInvalidRequests) {
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

TEST_F(HostileClientTest, RejectsAmbiguousRequests) {
  begin();
  const auto answer = [&](const std::string& header) {
    return ask("POST / HTTP/1.1\r\n" + header + "\r\n0\r\n\r\n");
  };
  const std::string host = "Host: x\r\n";
  EXPECT_THAT(answer(host + "Transfer-Encoding: gzip\r\n"), StartsWith("HTTP/1.1 501"));
  EXPECT_THAT(answer(host + "Transfer-Encoding: gzip, chunked\r\n"), StartsWith("HTTP/1.1 501"));
  EXPECT_THAT(answer(host + "Transfer-Encoding: xchunked\r\n"), StartsWith("HTTP/1.1 501"));
  EXPECT_THAT(answer(host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer(host + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer(host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer(host + "Content-Length: 5\r\nContent-Length: 5\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer(host + "Content-Length: 5, 5\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer(host + "Content-Length: +5\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer(host + "Host: y\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer(host + host), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.0 400"));
  EXPECT_GE(server_->counts().malformed, 12U);
  expect_served();
}

// The client sends no body: a server that waited for it would never answer.
TEST_F(HostileClientTest, ScreensTheHeaderBeforeReadingTheBody) {
  server_ = *Server::start(
      {.port = 0,
       .screen = [](const Request& request) -> std::optional<Response> {
         if (request.header("X-Key") != nullptr) return std::nullopt;
         return Response{.status = 401, .content_type = "text/plain", .body = "no key"};
       }},
      [](const Request& request) {
        return Response{.content_type = "text/plain", .body = "fine " + request.body};
      });
  for (const char* more : {"Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n",
                           "Content-Length: 9\r\nExpect: 100-continue\r\n"}) {
    const std::string header = std::string("POST / HTTP/1.1\r\nHost: x\r\n") + more;
    EXPECT_THAT(ask(header + "\r\n"), AllOf(StartsWith("HTTP/1.1 401"), EndsWith("no key")));
  }
  EXPECT_EQ(server_->counts().body_bytes, 0U);
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nX-Key: 1\r\nContent-Length: 3\r\n"
                  "Connection: close\r\n\r\nyes"),
              EndsWith("fine yes"));
}

TEST_F(HostileClientTest, LimitsTheSumOfAllBodies) {
  constexpr std::size_t kBody = 100'000;
  begin({.body_bytes = kBody, .all_bodies_bytes = 3 * kBody});
  const std::string header = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n";
  std::deque<RawClient> held;
  for (int i = 0; i < 3; ++i) {
    held.emplace_back(server_->port());
    held.back().send(header + std::string(kBody - 1, 'a'));  // all but its last byte
  }
  while (server_->counts().body_bytes < 3 * (kBody - 1)) std::this_thread::yield();
  EXPECT_THAT(ask(header + std::string(kBody, 'a')),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1")));
  expect_served();  // a request without a body
  held.front().send("b");
  EXPECT_THAT(held.front().answer(), EndsWith("ab"));
  held.clear();
  while (server_->counts().body_bytes > 0) std::this_thread::yield();
  RawClient client(server_->port());
  client.send(header + std::string(kBody, 'a'));
  EXPECT_THAT(client.answer(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HostileClientTest, RejectsLongRequestsBeforeReadingThem) {
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

TEST_F(HostileClientTest, AnIncompleteRequestTimesOut) {
  begin({.request = std::chrono::milliseconds(50)});
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHos"), "");
  EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel"), "");
  while (server_->counts().timed_out < 2) std::this_thread::yield();  // counted on close
  RawClient gone(server_->port());
  gone.send("GET / HT");
  gone.finish_sending();
  EXPECT_EQ(gone.rest(), "");
}

TEST_F(HostileClientTest, AnIdleConnectionTimesOut) {
  begin({.idle = std::chrono::milliseconds(30)});
  EXPECT_EQ(ask(""), "");
  EXPECT_THAT(ask(kAsk), EndsWith("fine "));  // then the server closes the connection
}

TEST_F(HostileClientTest, DropsAClientThatDoesNotRead) {
  Limits limits{.send = std::chrono::milliseconds(100)};
  server_ = *Server::start({.port = 0, .limits = limits}, [](const Request&) {
    return Response{.content_type = "text/plain", .body = std::string(64 << 20, 'x')};
  });
  RawClient client(server_->port());
  client.send(kAsk);
  while (server_->counts().timed_out == 0) std::this_thread::yield();
}

TEST_F(HostileClientTest, ManySlowClientsBlockNoOthers) {
  begin({.connections = 50});
  std::deque<RawClient> slow;
  for (int i = 0; i < 400; ++i) {
    slow.emplace_back(server_->port());
    slow.back().send("GET / HTTP/1.1\r\nX-Slow: ");
    if (i % 20 == 0) expect_served();
  }
  // An evicted connection is counted until its socket is closed.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (server_->counts().connections > 50 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_LE(server_->counts().connections, 50U);
  EXPECT_GE(server_->counts().evicted, 300U);
}

TEST_F(HostileClientTest, SurvivesAnyBytes) {
  begin({.request = std::chrono::milliseconds(100)});
  Random random = Random::scattered(3);
  const std::string good =
      "POST /a%20b?x=%41&y HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (int i = 0; i < 1500; ++i) {
    RawClient client(server_->port());
    client.send(mutated(good, random));
    client.finish_sending();
    if (i % 3 == 0) client.rest();  // the others disconnect without reading
    if (i % 100 == 0) expect_served();
  }
  expect_served();
}

}  // namespace
}  // namespace tacho::http
