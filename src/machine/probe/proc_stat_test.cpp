#include "machine/probe/proc_stat.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace tacho {
namespace {

constexpr std::string_view kStat =
    "4711 (python3) S 4700 4711 4690 34816 4711 4194304 1001 1002 3 4 250 50 700 80 20 0 9 0 "
    "123456 1000000000 2048 18446744073709551615 94 95 140 0 0 0 0 16781312 134 0 0 0 17 1 0 0\n";

TEST(ProcStat, ReadsEveryField) {
  const auto stat = parse_proc_stat(kStat);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 4711);
  EXPECT_EQ(stat->name, "python3");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 4700);
  EXPECT_EQ(stat->group, 4711);
  EXPECT_EQ(stat->session, 4690);
  EXPECT_EQ(stat->minor_faults, 1001);
  EXPECT_EQ(stat->children_minor_faults, 1002);
  EXPECT_EQ(stat->major_faults, 3);
  EXPECT_EQ(stat->children_major_faults, 4);
  EXPECT_EQ(stat->user_ticks, 250);
  EXPECT_EQ(stat->system_ticks, 50);
  EXPECT_EQ(stat->children_user_ticks, 700);
  EXPECT_EQ(stat->children_system_ticks, 80);
  EXPECT_EQ(stat->threads, 9);
  EXPECT_EQ(stat->start_ticks, 123456);
  EXPECT_EQ(stat->resident_pages, 2048);
  EXPECT_FALSE(stat->ended());
}

TEST(ProcStat, ANameMayContainAnything) {
  for (const std::string name : {"a b", "a) R 1 2 (b", "(sd-pam)", "", ") Z", "\xff\n\t"}) {
    std::string text(kStat);
    text.replace(text.find("python3"), 7, name);
    const auto stat = parse_proc_stat(text);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->name, name);
    EXPECT_EQ(stat->state, 'S');
    EXPECT_EQ(stat->resident_pages, 2048);
  }
}

TEST(ProcStat, RefusesATruncatedFile) {
  const std::size_t end_of_process = kStat.find(" 18446744073709551615");
  for (std::size_t length = 0; length + 4 < end_of_process; ++length) {
    EXPECT_FALSE(parse_proc_stat(kStat.substr(0, length))) << length;
  }
}

TEST(ProcStat, SurvivesAnyBytes) {
  Random random(5, 0);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(kStat);
    for (int hits = 0; hits < 1 + i % 8; ++hits) {
      const auto at = random.below(static_cast<std::int64_t>(text.size()));
      text[static_cast<std::size_t>(at)] = static_cast<char>(random.below(256));
    }
    const auto stat = parse_proc_stat(text);
    if (stat) {
      EXPECT_GE(stat->user_ticks, 0);
    }
    const auto io = parse_proc_io(text);
    EXPECT_FALSE(io);
  }
}

TEST(ProcIo, ReadsWhatTheKernelWrites) {
  const auto io = parse_proc_io(
      "rchar: 6976\nwchar: 12\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\nwrite_bytes: 8192\n"
      "cancelled_write_bytes: 0\n");
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read_chars, 6976);
  EXPECT_EQ(io->write_chars, 12);
  EXPECT_EQ(io->read_bytes, 4096);
  EXPECT_EQ(io->write_bytes, 8192);
  EXPECT_FALSE(parse_proc_io("rchar: 6976\nwchar: 12\n"));
}

}  // namespace
}  // namespace tacho
