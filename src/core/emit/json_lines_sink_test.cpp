#include "core/emit/json_lines_sink.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "core/record/event_log.h"

namespace tacho {
namespace {

using testing::ElementsAre;

const Event kStart{1, RunStarted{}};
const Event kNote{2, Note{"hello"}};

TEST(JsonLinesSink, WritesOneLinePerEventImmediately) {
  const ScratchFolder folder;
  const auto path = folder.path() / "events.jsonl";
  const auto sink = JsonLinesSink::open(path);
  ASSERT_TRUE(sink.ok());
  ASSERT_TRUE((*sink)->write(kStart).ok());
  EXPECT_EQ(*read_file(path), to_line(kStart) + "\n");
  ASSERT_TRUE((*sink)->write(kNote).ok());
  EXPECT_EQ(*read_file(path), to_line(kStart) + "\n" + to_line(kNote) + "\n");
}

TEST(JsonLinesSink, AppendsToEarlierAttempts) {
  const ScratchFolder folder;
  const auto path = folder.path() / "events.jsonl";
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_TRUE((*JsonLinesSink::open(path))->write(kStart).ok());
  }
  EXPECT_THAT(*read_events(path), ElementsAre(kStart, kStart));
}

TEST(JsonLinesSink, EndsThePartialLineOfAKilledAttempt) {
  const ScratchFolder folder;
  const auto path = folder.path() / "events.jsonl";
  ASSERT_TRUE(write_file_atomically(path, to_line(kNote) + "\n" + R"({"v":1,"t)").ok());
  ASSERT_TRUE((*JsonLinesSink::open(path))->write(kStart).ok());
  const auto events = read_events(path);
  ASSERT_TRUE(events.ok()) << events.error().message;
  EXPECT_THAT(*events, ElementsAre(kNote, kStart));
}

TEST(JsonLinesSink, ReportsAFullDisk) {
  JsonLinesSink sink(AppendFile(UniqueFd(::open("/dev/full", O_WRONLY | O_CLOEXEC)), "/dev/full"));
  const auto written = sink.write(kNote);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::io);
  EXPECT_EQ(written.error().message, "/dev/full: No space left on device");
}

// The end of a killed run is also written into copied folders, which are not trusted.
TEST(JsonLinesSink, WritesThroughNoLink) {
  const ScratchFolder folder;
  const auto victim = folder.path() / "victim";
  ASSERT_TRUE(write_file_atomically(victim, "mine\n").ok());
  std::filesystem::create_symlink(victim, folder.path() / "events.jsonl");
  EXPECT_FALSE(JsonLinesSink::open(folder.path() / "events.jsonl").ok());
  EXPECT_EQ(*read_file(victim), "mine\n");
}

TEST(JsonLinesSink, NamesTheFolderThatIsMissing) {
  const auto sink = JsonLinesSink::open("/nonexistent/events.jsonl");
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().message, "/nonexistent/events.jsonl: No such file or directory");
}

}  // namespace
}  // namespace tacho
