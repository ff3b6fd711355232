#include "experiments/runner/event_tail.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

TEST(EventTail, ReturnsEachEventOnce) {
  const ScratchFolder folder;
  const auto file = folder.path() / "events.jsonl";
  EventTail tail(file);
  EXPECT_TRUE(tail.read_new()->empty());

  const std::string line = to_line({1, Note{"a"}}) + "\n";
  std::ofstream out(file, std::ios::app);
  out << line << line.substr(0, 5) << std::flush;
  EXPECT_EQ(tail.read_new()->size(), 1U);
  EXPECT_EQ(tail.read_new()->size(), 0U);
  out << line.substr(5) << std::flush;
  EXPECT_EQ(tail.read_new()->size(), 1U);
}

TEST(EventTail, SkipsTheEventsOfEarlierAttempts) {
  const ScratchFolder folder;
  const auto file = folder.path() / "events.jsonl";
  const std::string line = to_line({1, Note{"a"}}) + "\n";
  std::ofstream(file) << line << line;
  EventTail tail(file, line.size());
  EXPECT_EQ(tail.read_new()->size(), 1U);
}

}  // namespace
}  // namespace tacho
