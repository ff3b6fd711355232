#include "serving/dashboard/slow_lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <stdexcept>

namespace tacho::serve {
namespace {

using testing::HasSubstr;

http::Request asked(std::string path, std::string body = "") {
  http::Request request;
  request.segments = {std::move(path)};
  request.body = std::move(body);
  return request;
}

// Blocks until open() and counts its calls.
class Slow {
 public:
  SlowLane::Make make() {
    return [this](const http::Request& request) -> Answer {
      ++made_;
      opened_.wait();
      return text_answer("to " + request.body, "text/plain");
    };
  }
  void wait_until_begun() const {
    while (made_ == 0) std::this_thread::yield();
  }
  void open() { gate_.set_value(); }
  [[nodiscard]] int made() const { return made_; }

 private:
  std::atomic<int> made_ = 0;
  std::promise<void> gate_;
  std::shared_future<void> opened_ = gate_.get_future().share();
};

std::future<http::Response> ask(const http::AsyncHandler& handler, http::Request request) {
  auto promise = std::make_shared<std::promise<http::Response>>();
  auto future = promise->get_future();
  handler(std::move(request), http::Reply([promise](http::Response response) {
            promise->set_value(std::move(response));
          }));
  return future;
}

TEST(SlowLane, EqualQueriesAreComputedOnce) {
  Slow slow;
  SlowLane lane(2, 4);
  const auto handler = lane.query(slow.make());
  auto first = ask(handler, asked("recommend", "a"));
  slow.wait_until_begun();
  std::vector<std::future<http::Response>> others;
  for (int i = 0; i < 50; ++i) others.push_back(ask(handler, asked("recommend", "a")));
  slow.open();
  EXPECT_EQ(first.get().body, "to a");
  for (auto& other : others) EXPECT_EQ(other.get().body, "to a");
  EXPECT_EQ(slow.made(), 1);
}

TEST(SlowLane, RefusesRequestsWhileTheQueueIsFull) {
  Slow slow;
  SlowLane lane(1, 1);
  const auto handler = lane.query(slow.make());
  const auto quick =
      lane.query([](const http::Request&) -> Answer { return text_answer("quick", "text/plain"); });
  auto running = ask(handler, asked("a"));
  slow.wait_until_begun();
  auto waiting = ask(quick, asked("b"));
  auto same = ask(quick, asked("b"));  // shares the queued request, so it takes no slot
  const http::Response refused = ask(quick, asked("c")).get();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(*http::find_field(refused.headers, "Retry-After"), "5");
  slow.open();
  EXPECT_EQ(running.get().status, 200);
  EXPECT_EQ(waiting.get().body, "quick");
  EXPECT_EQ(same.get().body, "quick");
}

TEST(SlowLane, EachCommandIsExecuted) {
  std::atomic<int> done = 0;
  SlowLane lane(1, 10);
  const auto handler = lane.command([&](const http::Request&) -> Answer {
    return text_answer(std::to_string(++done), "text/plain");
  });
  auto first = ask(handler, asked("jobs", "a"));
  auto second = ask(handler, asked("jobs", "a"));
  EXPECT_EQ(first.get().body, "1");
  EXPECT_EQ(second.get().body, "2");
}

TEST(SlowLane, AnExceptionBecomesAnError) {
  SlowLane lane(1, 10);
  const auto handler =
      lane.query([](const http::Request&) -> Answer { throw std::runtime_error("no luck"); });
  const http::Response response = ask(handler, asked("a")).get();
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr("no luck"));
}

TEST(SlowLane, StopLeavesNoRequestPending) {
  Slow slow;
  SlowLane lane(1, 10);
  const auto handler = lane.query(slow.make());
  auto running = ask(handler, asked("a"));
  slow.wait_until_begun();
  auto waiting = ask(handler, asked("b"));
  slow.open();
  lane.stop();
  EXPECT_EQ(running.get().status, 200);
  EXPECT_THAT((std::array{200, 500}), testing::Contains(waiting.get().status));
}

}  // namespace
}  // namespace tacho::serve
