#include "serving/load/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "serving/load/input_set.h"
#include "serving/load/known_server.h"

namespace tacho::load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::atomic<int> kNoInterrupts = 0;

LoadPlan plan_for(const KnownServer& server) {
  const auto address = find_server(server.target());
  EXPECT_TRUE(address.ok());
  LoadPlan plan{.server = *address};
  plan.requests.push_back(request_bytes(server.target(), "", nullptr));
  plan.duration = 1s;
  return plan;
}

LoadPlan open_plan(const KnownServer& server, double rate, Nanoseconds duration) {
  LoadPlan plan = plan_for(server);
  plan.duration = duration;
  plan.arrivals = {.profile = RateProfile::constant(rate, Seconds(duration).count())};
  plan.connections = 64;
  return plan;
}

Measured measured(const LoadPlan& plan, const std::atomic<int>& interrupts = kNoInterrupts) {
  auto made = measure(plan, interrupts, {});
  EXPECT_TRUE(made.ok()) << made.error().message;
  return *std::move(made);
}

bool near(Nanoseconds seen, Nanoseconds truth) {
  return std::chrono::abs(seen - truth) <= std::max<Nanoseconds>(truth / 20, 1ms);
}

// The measurement must be right on an idle machine; other load may disturb some tries.
template <class Try>
bool within(int tries, Try&& is_right) {
  for (int i = 0; i < tries; ++i) {
    if (is_right()) return true;
  }
  return false;
}

TEST(Measure, MeasuresTheLatenciesOfAKnownServer) {
  // 98 % of the answers take 20 ms, 2 % take 120 ms.
  KnownServer server([](std::size_t number, const std::string&) {
    return KnownServer::Reply{.after = number % 50 == 7 ? 120ms : 20ms};
  });
  Measured made;
  EXPECT_TRUE(within(20,
                     [&] {
                       made = measured(open_plan(server, 200, 1500ms));
                       return near(made.latency.quantile(0.5), 20ms) &&
                              near(made.latency.quantile(0.99), 120ms) &&
                              near(made.service.quantile(0.5), 20ms);
                     }))
      << human(Seconds(made.latency.quantile(0.5))) << ", "
      << human(Seconds(made.latency.quantile(0.99)));
  EXPECT_GE(made.latency.quantile(0.01), 20ms);
  EXPECT_EQ(made.tally.failed(), 0U);
  EXPECT_NEAR(made.offered_per_s, 200, 1);
}

TEST(Measure, AClosedLoopIsLimitedByItsConnections) {
  KnownServer server([](std::size_t, const std::string&) { return KnownServer::Reply{20ms}; });
  LoadPlan plan = plan_for(server);
  plan.connections = 10;
  const Measured made = measured(plan);
  // Little's law holds on a busy machine, too: concurrency is rate times latency.
  EXPECT_NEAR(made.requests_per_s * Seconds(made.service.mean()).count(), 10, 0.5);
  EXPECT_LE(made.requests_per_s, 500);
  EXPECT_EQ(made.latency.cells(), made.service.cells());
  EXPECT_EQ(made.offered_per_s, 0);
}

// A closed loop would see a single slow answer. With an open loop, all requests that were due in
// that second are late.
TEST(Measure, AStallDelaysAllRequestsThatWereDue) {
  std::atomic<bool> stalled = false;
  KnownServer server([&](std::size_t number, const std::string&) {
    if (number == 100 && !stalled.exchange(true)) std::this_thread::sleep_for(1s);
    return KnownServer::Reply{};
  });
  LoadPlan plan = open_plan(server, 100, 3s);
  plan.connections = 4;
  const Measured made = measured(plan);
  EXPECT_GT(made.latency.quantile(0.99), 900ms);
  EXPECT_GE(made.latency.count_above(500ms), 45U);
  EXPECT_LE(made.service.count_above(500ms), 20U);  // those that were in progress
  EXPECT_GE(made.tally.queued, 80U);
  EXPECT_EQ(made.tally.ok, 300U - made.tally.failed());
}

TEST(Measure, CountsAllDueRequestsOfASlowServer) {
  // Two connections and 50 ms allow 40 requests per second; 200 are due.
  KnownServer server([](std::size_t, const std::string&) { return KnownServer::Reply{50ms}; });
  LoadPlan plan = open_plan(server, 200, 1s);
  plan.connections = 2;
  plan.timeout = 500ms;
  const Measured made = measured(plan);
  EXPECT_EQ(made.tally.requests() + (200 - made.tally.requests()), 200U);
  EXPECT_TRUE(made.falls_behind());
  EXPECT_GT(made.tally.timeouts, 80U);
  EXPECT_EQ(made.latency.longest() >= 490ms, true);
  EXPECT_THAT(made.first_failure, HasSubstr("timeout"));
}

TEST(Measure, CountsEachKindOfFailureSeparately) {
  KnownServer server([](std::size_t number, const std::string&) -> KnownServer::Reply {
    switch (number % 5) {
      case 0:
        return {.status = 503, .body = "full"};
      case 1:
        return {.status = 400, .body = "no such thing"};
      case 2:
        return {.status = 500, .body = "oops"};
      case 3:
        return {.vanish = true};
      default:
        return {.body = R"({"cached":true})"};
    }
  });
  const Measured made = measured(open_plan(server, 100, 1s));
  EXPECT_EQ(made.tally.refused, 20U);
  EXPECT_EQ(made.tally.rejected, 20U);
  EXPECT_EQ(made.tally.server_errors, 20U);
  EXPECT_EQ(made.tally.broken, 20U);
  EXPECT_EQ(made.tally.ok, 20U);
  EXPECT_EQ(made.tally.cached, 20U);
  EXPECT_EQ(made.latency.count(), 20U);
  EXPECT_EQ(made.first_failure, "503 full");
}

TEST(Measure, ReopensClosedConnections) {
  KnownServer server([](std::size_t number, const std::string&) {
    return KnownServer::Reply{.close = number % 2 == 0, .endless = number % 2 == 1};
  });
  const Measured made = measured(open_plan(server, 100, 1s));
  EXPECT_EQ(made.tally.ok, 100U);
  EXPECT_EQ(made.tally.failed(), 0U) << made.first_failure;
  EXPECT_GE(server.accepted(), 100U);
}

TEST(Measure, ThreadsShareConnectionsAndInputs) {
  std::set<std::string> seen;
  KnownServer server([&](std::size_t, const std::string& body) {
    seen.insert(body);
    return KnownServer::Reply{};
  });
  LoadPlan plan = open_plan(server, 200, 1s);
  plan.threads = 3;
  plan.connections = 7;
  plan.requests.clear();
  for (const char* text : {"a", "b", "c", "d"}) {
    const Input input{"text/plain", text};
    plan.requests.push_back(request_bytes(server.target(), "", &input));
  }
  const Measured made = measured(plan);
  EXPECT_EQ(made.tally.ok, 200U);
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_EQ(server.accepted(), 7U + 1U);  // plus the one that found the server
}

TEST(Measure, AnInterruptEndsTheTestWithTheResultsSoFar) {
  KnownServer server([](std::size_t, const std::string&) { return KnownServer::Reply{1ms}; });
  LoadPlan plan = plan_for(server);
  plan.duration = 1h;
  std::atomic<int> interrupts = 0;
  std::jthread presser([&] {
    while (server.requests() < 200) std::this_thread::sleep_for(1ms);
    interrupts = 1;
  });
  const Measured made = measured(plan, interrupts);
  EXPECT_TRUE(made.interrupted);
  EXPECT_GE(made.tally.ok, 100U);
  EXPECT_EQ(made.tally.failed(), 0U);
  EXPECT_LT(made.seconds.count() + made.warmup.count(), 60);
}

TEST(Measure, AnEarlierInterruptEndsTheTest) {
  KnownServer server([](std::size_t, const std::string&) { return KnownServer::Reply{1ms}; });
  LoadPlan plan = plan_for(server);
  plan.duration = 1h;
  const std::atomic<int> interrupts = 1;
  EXPECT_TRUE(measured(plan, interrupts).interrupted);
}

TEST(Measure, LimitsTheAttemptsToReachADeadServer) {
  auto server = std::make_unique<KnownServer>(
      [](std::size_t, const std::string&) { return KnownServer::Reply{1ms}; });
  LoadPlan plan = plan_for(*server);
  plan.connections = 4;
  std::jthread killer([&] {
    while (server->requests() < 50) std::this_thread::sleep_for(1ms);
    server.reset();
  });
  const Measured made = measured(plan);
  EXPECT_GT(made.tally.broken, 0U);
  EXPECT_LE(made.tally.broken, 4U * 100 + 8);  // each connection at most every 10 ms
}

TEST(Measure, ReportsProgress) {
  KnownServer server([](std::size_t, const std::string&) { return KnownServer::Reply{1ms}; });
  LoadPlan plan = open_plan(server, 100, 2s);
  Progress last;
  int reports = 0;
  const auto made = measure(plan, kNoInterrupts, [&](const Progress& progress) {
    last = progress;
    ++reports;
  });
  ASSERT_TRUE(made.ok());
  EXPECT_GE(reports, 2);
  EXPECT_LE(last.elapsed, last.planned);
  EXPECT_GT(last.requests_per_s, 0);
}

}  // namespace
}  // namespace tacho::load
