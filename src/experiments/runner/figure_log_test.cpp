#include "experiments/runner/figure_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"
#include "core/record/event_log.h"
#include "core/record/run_record.h"

namespace tacho {
namespace {

using testing::HasSubstr;

constexpr double kLoggedAt = 1000;

class Logged : public ::testing::Test {
 protected:
  void log(const std::string& file, const std::vector<EventBody>& bodies) {
    std::filesystem::create_directories(folder_.logged());
    std::ofstream out(folder_.logged() / file, std::ios::app);
    for (const EventBody& body : bodies) out << to_line({kLoggedAt, body}) << "\n";
  }
  template <class Body>
  std::vector<Body> written() {
    std::vector<Body> found;
    for (const Event& event : *read_events(folder_.events())) {
      if (const auto* body = std::get_if<Body>(&event.body)) found.push_back(*body);
    }
    return found;
  }
  static FiguresSeen loss(double value) { return {"python", 1, {{"loss", value}}}; }

  ScratchFolder scratch_;
  RunFolder folder_{scratch_.path()};
  RunClock clock_;
  FigureLog log_ = *FigureLog::open(folder_, clock_);
};

TEST_F(Logged, FiguresKeepTheTimeAtWhichTheyWereLogged) {
  log("10.jsonl", {loss(3)});
  log_.finish();
  const RunRecord record = fold({}, *read_events(folder_.events()));
  EXPECT_EQ(record.figures.at(0).unix_seconds, kLoggedAt);
}

TEST_F(Logged, WritesWhatEachProcessLogsOnce) {
  log("10.jsonl", {loss(3)});
  log_.look(Seconds(0));
  log("10.jsonl", {loss(2)});
  log("11.jsonl", {loss(1)});
  log_.look(Seconds(0));
  log_.finish();
  EXPECT_THAT(written<FiguresSeen>(), testing::UnorderedElementsAre(loss(3), loss(2), loss(1)));
}

TEST_F(Logged, OfManyFiguresWritesASelectionAndSaysSo) {
  log("10.jsonl", std::vector<EventBody>(20000, loss(1)));
  log_.finish();
  EXPECT_LT(written<FiguresSeen>().size(), 10000U);
  EXPECT_THAT(written<Note>().at(0).text, HasSubstr("it printed 20000 lines of figures"));
}

TEST_F(Logged, MasksSecretsInTheConfig) {
  log("10.jsonl", {RunDescribed{"", "", {}, {{"api_key", "abc"}, {"lr", "0.1"}}}});
  log_.finish();
  const std::map<std::string, std::string> expected{{"api_key", "***"}, {"lr", "0.1"}};
  EXPECT_EQ(written<RunDescribed>().at(0).config, expected);
}

TEST_F(Logged, IgnoresWhatAProgramCannotKnow) {
  log("10.jsonl", {RunStarted{}, EpochDone{}, RunEnded{}});
  log_.finish();
  EXPECT_TRUE(read_events(folder_.events())->empty());
}

TEST_F(Logged, AnUnreadableFileIsOneNote) {
  std::filesystem::create_directories(folder_.logged());
  std::ofstream(folder_.logged() / "10.jsonl") << "nonsense\n" << to_line({1, loss(1)}) << "\n";
  log_.look(Seconds(0));
  log_.finish();
  EXPECT_THAT(written<Note>().size(), 1U);
}

TEST_F(Logged, DoesNotFollowALink) {
  const ScratchFolder elsewhere;
  std::ofstream(elsewhere.path() / "10.jsonl") << to_line({1, loss(1)}) << "\n";
  std::filesystem::create_directory_symlink(elsewhere.path(), folder_.logged());
  log_.finish();
  EXPECT_TRUE(written<FiguresSeen>().empty());
}

}  // namespace
}  // namespace tacho
