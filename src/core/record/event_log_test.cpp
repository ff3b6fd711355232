#include "core/record/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const std::string kNote = to_line({1, Note{"hello"}}) + "\n";
const std::string kStart = to_line({2, RunStarted{}}) + "\n";

TEST(EventParser, DoesNotDependOnHowTheBytesAreSplit) {
  const std::string bytes = kStart + kNote + kNote;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    EventParser parser;
    const auto first = parser.feed(std::string_view(bytes).substr(0, cut));
    const auto second = parser.feed(std::string_view(bytes).substr(cut));
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(first->size() + second->size(), 3U) << "cut at " << cut;
  }
}

TEST(EventParser, IgnoresAPartialLineAtTheEnd) {
  const auto events = EventParser().feed(kNote + kNote.substr(0, 10));
  ASSERT_TRUE(events.ok());
  EXPECT_THAT(*events, SizeIs(1));
}

TEST(EventParser, IgnoresAPartialLineBeforeAnotherAttempt) {
  const auto events = EventParser().feed(kNote + kNote.substr(0, 10) + "\n" + kStart);
  ASSERT_TRUE(events.ok()) << events.error().message;
  EXPECT_THAT(*events, SizeIs(2));
}

TEST(EventParser, IgnoresAPartialLineBeforeTheEndWrittenForIt) {
  const std::string end = to_line({3, RunEnded{}}) + "\n";
  const auto events = EventParser().feed(kStart + kNote.substr(0, 10) + "\n" + end);
  ASSERT_TRUE(events.ok()) << events.error().message;
  EXPECT_THAT(*events, SizeIs(2));
}

TEST(EventParser, IgnoresAPartialLineBeforeEventsOfTheEnvironment) {
  const std::string half = kNote.substr(0, 10) + "\n";
  for (const EventBody& body : {EventBody(EnvironmentExited{}), EventBody(EnvironmentFacts{})}) {
    const auto events = EventParser().feed(kStart + half + to_line({3, body}) + "\n");
    ASSERT_TRUE(events.ok()) << events.error().message;
    EXPECT_THAT(*events, SizeIs(2));
  }
}

TEST(EventParser, ErrorsNameTheLine) {
  const auto events = EventParser().feed(kNote + "{broken\n" + kNote);
  ASSERT_FALSE(events.ok());
  EXPECT_THAT(events.error().message, HasSubstr("line 2: not JSON at byte 2"));
}

TEST(ReadEvents, AMissingFileIsARunThatNeverBegan) {
  const ScratchFolder folder;
  EXPECT_THAT(*read_events(folder.path() / "events.jsonl"), SizeIs(0));
}

TEST(ReadEvents, NamesTheFile) {
  const ScratchFolder folder;
  const auto file = folder.path() / "events.jsonl";
  ASSERT_TRUE(write_file_atomically(file, "x\n" + kNote).ok());
  EXPECT_THAT(read_events(file).error().message, HasSubstr("events.jsonl: line 1"));
}

}  // namespace
}  // namespace tacho
