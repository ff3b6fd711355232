#include "cli/load_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Terminal kNoTerminal(-1);

TEST(LoadView, ShowsRateLatenciesFailuresAndPrice) {
  const LoadMeasured measured{.load = "open loop, 200 requests/s, 64 connections",
                              .seconds = 9.5,
                              .warmup_seconds = 0.5,
                              .remark = "the first to fail: 503 full",
                              .requests_per_s = 199.4,
                              .offered_per_s = 200,
                              .requests = 1900,
                              .ok = 1890,
                              .refused = 10,
                              .cached = 945,
                              .p50_s = 0.0021,
                              .p99_s = 0.0046,
                              .machine = "g4dn.xlarge",
                              .usd_per_hour = 0.526};
  const std::string text = load_lines(measured, kNoTerminal);
  EXPECT_THAT(text, HasSubstr("measured  9.50 s, after 500 ms of warm-up\n"));
  EXPECT_THAT(text,
              HasSubstr("199 requests/s of 200 offered; 1,890 of 1,900 requests, 50.0 % from"));
  EXPECT_THAT(text, HasSubstr("p50 2.10 ms"));
  EXPECT_THAT(text, HasSubstr("failed    10 refused (503)\n"));
  EXPECT_THAT(text, HasSubstr("$0.733 per million requests, g4dn.xlarge at $0.526 per hour"));
  EXPECT_THAT(text, HasSubstr("note      the first to fail: 503 full\n"));
}

TEST(LoadView, ASearchEndsInASentence) {
  const load::Slo slo{.share = 0.99, .limit = 50ms, .words = "p99=50ms"};
  load::Search search;
  search.trials.push_back({.rate = 900, .tests = 1, .judgement = {load::Verdict::kept}});
  search.trials.push_back({.rate = 940, .tests = 3, .judgement = {load::Verdict::unclear}});
  search.best = 0;
  search.fails_from = 940;
  EXPECT_EQ(search_sentence(search, slo), "p99=50ms is met up to 900 requests/s, not at 940");
  search.unclear = true;
  EXPECT_THAT(search_sentence(search, slo), HasSubstr("unclear at 940"));
  EXPECT_THAT(search_table(search, kNoTerminal), HasSubstr("unclear"));
  search.best.reset();
  EXPECT_THAT(search_sentence(search, slo), HasSubstr("unclear whether p99=50ms is met"));
  search.unclear = false;
  EXPECT_THAT(search_sentence(search, slo), HasSubstr("not met even at 940 requests/s"));
}

TEST(LoadView, ProgressIsOneLine) {
  EXPECT_EQ(progress_words({.elapsed = Seconds(4.2),
                            .planned = Seconds(10),
                            .requests_per_s = 1213.4,
                            .p50 = Seconds(0.0021),
                            .p99 = Seconds(0.0046),
                            .failed = 3}),
            "4.2 of 10.0 s  1,213 requests/s  p50 2.10 ms  p99 4.60 ms  3 failed");
}

}  // namespace
}  // namespace tacho
