#include "serving/dashboard/timeline_track.h"

#include <gtest/gtest.h>

#include <random>

namespace tacho::serve {
namespace {

std::vector<PlainSpan> some_spans(int count) {
  std::mt19937 random(7);
  std::vector<PlainSpan> spans;
  std::int64_t time = 1000;
  for (int i = 0; i < count; ++i) {
    const std::int64_t length = 100 + random() % 3000;
    spans.push_back({time, time + length, static_cast<std::int32_t>(random() % 3)});
    time += length + random() % 2000;
    if (i % 1000 == 999) time += 5'000'000;
  }
  return spans;
}

TEST(TimelineTrack, EveryViewCoversAllRecords) {
  const auto spans = some_spans(50'000);
  const TimelineTrack track("a", "kernels", spans);
  const std::int64_t end = spans.back().end_ns;
  for (const std::int64_t columns : {10, 100, 1000, 4000}) {
    std::int64_t count = 0;
    std::int64_t busy = 0;
    std::int64_t before = 0;
    const auto seen = track.view(0, end, end / columns);
    EXPECT_LE(seen.size(), static_cast<std::size_t>(2 * columns));
    for (const TimeSpan& span : seen) {
      count += span.count;
      busy += span.busy_ns;
      EXPECT_GE(span.begin_ns, before);
      EXPECT_LE(span.busy_ns, span.end_ns - span.begin_ns);
      before = span.begin_ns;
    }
    std::int64_t all = 0;
    for (const PlainSpan& span : spans) all += span.end_ns - span.begin_ns;
    EXPECT_EQ(count, 50'000);
    EXPECT_EQ(busy, all);
  }
}

TEST(TimelineTrack, AWindowContainsTheSpansThatOverlapIt) {
  const TimelineTrack track("a", "calls", {{0, 1'000'000, 0}, {10, 20, 1}, {500, 510, 2}});
  const auto seen = track.view(400, 600, 1);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].label, 0);  // began long before the window
  EXPECT_EQ(seen[1].label, 2);
  EXPECT_TRUE(track.view(2'000'000, 3'000'000, 1).empty());
}

TEST(TimelineTrack, AcceptsRecordsInAnyOrder) {
  const TimelineTrack track("a", "calls", {{50, 60, 1}, {0, 10, 0}});
  EXPECT_EQ(track.view(0, 100, 1).front().label, 0);
  EXPECT_TRUE(TimelineTrack("b", "calls", {}).view(0, 1, 1).empty());
}

}  // namespace
}  // namespace tacho::serve
