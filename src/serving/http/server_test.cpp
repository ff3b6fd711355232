#include "serving/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "serving/http/raw_client.h"

namespace tacho::http {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Yields three pieces, then the end.
class Pieces : public BodySource {
 public:
  std::optional<std::string> next() override {
    if (given_ == 3) return std::nullopt;
    return "data: " + std::to_string(++given_) + "\n\n";
  }

 private:
  int given_ = 0;
};

class Silence : public BodySource {
 public:
  std::optional<std::string> next() override { return ""; }
};

Response echo(const Request& request) {
  if (request.segments.size() == 1 && request.segments[0] == "pieces") {
    return {.content_type = "text/plain", .source = std::make_shared<Pieces>()};
  }
  if (request.segments.size() == 1 && request.segments[0] == "live") {
    return {
        .content_type = "text/event-stream", .source = std::make_shared<Pieces>(), .live = true};
  }
  if (request.segments.size() == 1 && request.segments[0] == "silence") {
    return {
        .content_type = "text/event-stream", .source = std::make_shared<Silence>(), .live = true};
  }
  Response response{.content_type = "text/plain"};
  response.body = std::string(name_of(request.method)) + " " +
                  std::to_string(request.segments.size()) + " " + request.body;
  response.headers.emplace_back("X-Sly", "a\r\nSet-Cookie: b");
  return response;
}

class ServerTest : public testing::Test {
 protected:
  void begin(Limits limits = {}, Handler handler = echo) {
    auto started = Server::start({.port = 0, .limits = limits}, std::move(handler));
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = *std::move(started);
  }
  std::string ask(std::string_view request) {
    RawClient client(server_->port());
    client.send(request);
    return client.answer();
  }
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersAndKeepsTheConnection) {
  begin();
  RawClient client(server_->port());
  for (int i = 0; i < 3; ++i) {
    client.send("POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
    const std::string answer = client.answer();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\nPOST 2 hello"));
  }
  EXPECT_EQ(server_->counts().accepted, 1U);
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  begin();
  RawClient client(server_->port());
  std::string all;
  for (int i = 0; i < 200; ++i) {
    all += "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n" + std::to_string(1000 + i);
  }
  client.send(all);
  for (int i = 0; i < 200; ++i) {
    ASSERT_THAT(client.answer(), EndsWith("POST 0 " + std::to_string(1000 + i)));
  }
}

TEST_F(ServerTest, ClosesOnRequest) {
  begin();
  RawClient client(server_->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.rest(), HasSubstr("Connection: close"));
  RawClient old(server_->port());
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.rest(), StartsWith("HTTP/1.0 200"));
}

TEST_F(ServerTest, HeadHasTheLengthAndNoBody) {
  begin();
  RawClient client(server_->port());
  client.send("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = client.rest();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(ServerTest, AValueCannotEndItsHeader) {
  begin();
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("X-Sly: aSet-Cookie: b\r\n"));
}

TEST_F(ServerTest, AnswersExpectContinue) {
  begin();
  RawClient client(server_->port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_THAT(client.until("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  client.send("ok");
  EXPECT_THAT(client.answer(), EndsWith("POST 0 ok"));
}

TEST_F(ServerTest, SendsASourceInPiecesAndKeepsTheConnection) {
  begin();
  RawClient client(server_->port());
  client.send("GET /pieces HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string answer = client.until("\r\n0\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(answer, HasSubstr("data: 3"));
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.answer(), EndsWith("GET 0 "));
  RawClient old(server_->port());
  old.send("GET /pieces HTTP/1.0\r\nHost: x\r\n\r\n");
  EXPECT_THAT(old.rest(), EndsWith("\r\n\r\ndata: 1\n\ndata: 2\n\ndata: 3\n\n"));
}

TEST_F(ServerTest, StreamsALiveSource) {
  begin({.poll = std::chrono::milliseconds(1), .heartbeat = std::chrono::milliseconds(5)});
  RawClient client(server_->port());
  client.send("GET /live HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.rest(), HasSubstr("data: 3"));
  RawClient waiting(server_->port());
  waiting.send("GET /silence HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(waiting.until("still here"), EndsWith("still here"));
  waiting.close();
  while (server_->counts().connections > 0) std::this_thread::yield();  // until the server notices
  EXPECT_EQ(server_->counts().streams, 0U);
}

// A source whose pieces are added while it is sent.
class Added : public BodySource {
 public:
  std::optional<std::string> next() override {
    const std::lock_guard lock(mutex_);
    ++asked_;
    if (text_.empty() && ended_) return std::nullopt;
    return std::exchange(text_, "");
  }
  void on_more(const std::function<void()>& wake) override { wake_ = wake; }
  void add(const std::string& text, bool end = false) {
    {
      const std::lock_guard lock(mutex_);
      text_ += text;
      ended_ = end;
    }
    wake_();
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
  std::function<void()> wake_;
  bool ended_ = false;
  int asked_ = 0;
};

TEST_F(ServerTest, AFiniteLiveSourceWakesItsConnectionAndIsSentToItsEnd) {
  const auto source = std::make_shared<Added>();
  begin({.poll = std::chrono::hours(1)}, [&](const Request&) {
    return Response{
        .content_type = "text/event-stream", .source = source, .live = true, .finite = true};
  });
  RawClient client(server_->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  while (source->asked() == 0) std::this_thread::yield();
  for (const char* piece : {"data: 1\n\n", "data: 2\n\n"}) {
    source->add(piece);
    EXPECT_THAT(client.until(piece), EndsWith(piece));
  }
  std::jthread stopper([this] { server_->stop(); });
  while (RawClient(server_->port()).connected()) std::this_thread::yield();
  source->add("data: 3\n\n", true);
  EXPECT_THAT(client.rest(), AllOf(HasSubstr("data: 3\n\n"), EndsWith("\r\n0\r\n\r\n")));
}

TEST_F(ServerTest, StopsAfterTheCurrentAnswer) {
  std::mutex mutex;
  std::condition_variable changed;
  bool asked = false;
  bool answer = false;
  begin({}, [&](const Request&) {
    std::unique_lock lock(mutex);
    asked = true;
    changed.notify_all();
    changed.wait(lock, [&] { return answer; });
    return Response{.content_type = "text/plain", .body = "done"};
  });
  RawClient idle(server_->port());
  RawClient client(server_->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  std::jthread stopper;
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return asked; });
    stopper = std::jthread([&] { server_->stop(); });
    EXPECT_EQ(idle.rest(), "");  // closed: the stop has begun
    answer = true;
    changed.notify_all();
  }
  EXPECT_THAT(client.rest(), EndsWith("done"));
}

TEST_F(ServerTest, StopEndsLiveSources) {
  begin();
  RawClient client(server_->port());
  client.send("GET /silence HTTP/1.1\r\nHost: x\r\n\r\n");
  client.until("\r\n\r\n");
  server_->stop();
  EXPECT_EQ(client.rest(), "");
  EXPECT_FALSE(RawClient(server_->port()).connected());
}

// Keeps replies until the test takes them.
class PendingReplies {
 public:
  AsyncHandler handler() {
    return [this](Request request, Reply reply) {
      const std::lock_guard lock(mutex_);
      kept_.emplace_back(std::move(request), std::move(reply));
    };
  }
  std::pair<Request, Reply> take() {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (!kept_.empty()) {
          auto taken = std::move(kept_.front());
          kept_.pop_front();
          return taken;
        }
      }
      std::this_thread::yield();
    }
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<Request, Reply>> kept_;
};

Response plain(std::string body) { return {.content_type = "text/plain", .body = std::move(body)}; }
constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(AsyncAnswers, ComeInAnyOrderFromAnyThread) {
  PendingReplies pending;
  const auto server = *Server::start({.port = 0}, pending.handler());
  RawClient first(server->port());
  RawClient second(server->port());
  first.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n1");
  auto asked_first = pending.take();
  second.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n2");
  auto asked_second = pending.take();
  asked_second.second(plain("to " + asked_second.first.body));
  EXPECT_THAT(second.answer(), EndsWith("to 2"));
  asked_first.second(plain("to " + asked_first.first.body));
  asked_first.second(plain("again"));  // ignored: the request is already answered
  EXPECT_THAT(first.answer(), EndsWith("to 1"));
  first.send(kGet);
  pending.take().second(plain("kept"));
  EXPECT_THAT(first.answer(), EndsWith("kept"));
}

TEST(AsyncAnswers, ABodyCountsUntilItsRequestIsAnswered) {
  PendingReplies pending;
  const auto server = *Server::start({.port = 0}, pending.handler());
  RawClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
  auto asked = pending.take();
  EXPECT_EQ(server->counts().body_bytes, 4U);
  asked.second(plain("done"));
  EXPECT_THAT(client.answer(), EndsWith("done"));
  EXPECT_EQ(server->counts().body_bytes, 0U);
}

TEST(AsyncAnswers, BlockingHandlersRunOnWorkers) {
  std::mutex mutex;
  std::condition_variable changed;
  int asked = 0;
  const auto wait_for_another = [&](const Request&, const Reply& reply) {
    std::unique_lock lock(mutex);
    ++asked;
    changed.notify_all();
    const bool both = changed.wait_for(lock, std::chrono::seconds(30), [&] { return asked == 2; });
    reply(plain(both ? "together" : "alone"));
  };
  const auto server =
      *Server::start({.port = 0, .workers = 2}, wait_for_another, Server::Caller::worker);
  RawClient first(server->port());
  RawClient second(server->port());
  first.send(kGet);
  second.send(kGet);
  EXPECT_THAT(first.answer(), EndsWith("together"));
  EXPECT_THAT(second.answer(), EndsWith("together"));
}

TEST(AsyncAnswers, AnUnansweredRequestIsAnError) {
  PendingReplies pending;
  const auto server = *Server::start({.port = 0}, pending.handler());
  RawClient client(server->port());
  client.send(kGet);
  pending.take();
  EXPECT_THAT(client.answer(), StartsWith("HTTP/1.1 500"));
}

TEST(AsyncAnswers, MayComeAfterClientAndServerAreGone) {
  PendingReplies pending;
  auto server = *Server::start({.port = 0, .limits = {.grace = std::chrono::milliseconds(1)}},
                               pending.handler());
  std::optional<RawClient> client(server->port());
  client->send(kGet);
  auto asked = pending.take();
  client.reset();
  server->stop();
  asked.second(plain("late"));
}

TEST(AsyncAnswers, CanBeGivenUpWhenTheClientDisconnects) {
  PendingReplies pending;
  const auto server = *Server::start({.port = 0, .watch_clients = true}, pending.handler());
  RawClient staying(server->port());
  staying.send(kGet);
  const auto kept = pending.take();
  std::optional<RawClient> leaving(server->port());
  leaving->send(kGet);
  const auto given_up = pending.take();
  leaving.reset();
  while (!*given_up.first.is_gone) std::this_thread::yield();
  given_up.second(plain("nobody reads this"));
  EXPECT_FALSE(*kept.first.is_gone);
  kept.second(plain("one"));
  EXPECT_THAT(staying.answer(), EndsWith("one"));
  staying.send(std::string(kGet) + std::string(kGet));  // the connection is still in order
  pending.take().second(plain("two"));
  EXPECT_THAT(staying.answer(), EndsWith("two"));
  const auto last = pending.take();
  EXPECT_FALSE(*last.first.is_gone);
  last.second(plain("three"));
  EXPECT_THAT(staying.answer(), EndsWith("three"));
}

TEST(AsyncAnswers, AreSentForAllRequestsBeforeTheStop) {
  PendingReplies pending;
  const auto server = *Server::start({.port = 0}, pending.handler());
  RawClient running(server->port());
  running.send(kGet);
  auto asked = pending.take();
  RawClient half(server->port());
  half.send("GET / HTTP/1.1\r\nHost:");
  RawClient silent(server->port());
  while (server->counts().accepted < 3) std::this_thread::yield();
  std::jthread stopper([&] { server->stop(); });
  EXPECT_EQ(silent.rest(), "");  // closed: the stop has begun
  half.send(" x\r\n\r\n");
  pending.take().second(plain("half"));
  asked.second(plain("running"));
  EXPECT_THAT(running.rest(), AllOf(HasSubstr("Connection: close"), EndsWith("running")));
  EXPECT_THAT(half.rest(), EndsWith("half"));
}

TEST_F(ServerTest, ReportsWhyItCannotListen) {
  begin();
  const auto second = Server::start({.port = server_->port()}, echo);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("choose another port with --port"));
  EXPECT_THAT(Server::start({.address = "nowhere", .port = 0}, echo).error().message,
              HasSubstr("'nowhere' is not an IP address"));
}

}  // namespace
}  // namespace tacho::http
