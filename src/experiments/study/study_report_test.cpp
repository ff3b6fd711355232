#include "experiments/study/study_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "core/store/test_runs.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kText = R"(
name: small
title: How small?
steps:
  - {name: one, title: One run, train: lenet5 --data fashion-mnist}
  - {name: two, title: Another, train: mlp --data fashion-mnist}
)";

class StudyReportTest : public testing::Test {
 protected:
  std::string report() {
    const auto document = study_report(study_, row_, {runs_, sweeps_}, {});
    return document.ok() ? text_of(*document, Terminal(-1)) : document.error().message;
  }
  void put(std::size_t step, StudyStepState state, const std::string& key,
           std::vector<AbsentThing> absent = {}) {
    ASSERT_TRUE(
        runs_.studies().put(row_.id, {study_.steps[step].key, state, key, std::move(absent)}).ok());
  }

  ScratchFolder folder_;
  RunStore runs_ = *RunStore::open(folder_.path() / "store.db");
  SweepStore sweeps_ = *SweepStore::open(folder_.path() / "store.db");
  Study study_ = *read_study(kText, "s.yaml", StudyLevel::quick);
  StudyRow row_ = *runs_.studies().add({0, "key", "small", "quick", "2026-11-15T04:27:36.123Z"});
};

TEST_F(StudyReportTest, ShowsDonePendingAndImpossibleSteps) {
  EXPECT_THAT(report(), HasSubstr("Not executed yet."));
  ASSERT_TRUE(runs_.put(finished_run("20260101-000000-abcdef", 0.5), folder_.path()).ok());
  put(0, StudyStepState::done, "20260101-000000-abcdef");
  put(1, StudyStepState::impossible, "", {{"Another", "there is no GPU here"}});
  const std::string text = report();
  EXPECT_THAT(text, HasSubstr("50.0 %"));
  EXPECT_THAT(text, HasSubstr("Not available on this machine"));
  EXPECT_THAT(text, HasSubstr("not available: Another: there is no GPU here"));
  EXPECT_THAT(text, HasSubstr("$ tacho study small --quick"));
  EXPECT_THAT(text, HasSubstr("$ tacho train lenet5 --data fashion-mnist"));
  EXPECT_THAT(text, HasSubstr("1, 6.00 s of run time"));
  EXPECT_EQ(report(), text);
}

TEST_F(StudyReportTest, SaysIfTheBuildLacksPredictions) {
  study_ = *read_study(R"(
name: small
title: How small?
steps:
  - {name: corpus, title: The corpus, prediction: {of: corpus}}
)",
                       "s.yaml", StudyLevel::quick);
  put(0, StudyStepState::done, "");
  const auto document =
      study_report(study_, row_, {runs_, sweeps_},
                   {.learn = {}, .corpus = [](std::int64_t) -> Result<std::vector<CorpusScore>> {
                      return Error{ErrorCode::unavailable, "built without"};
                    }});
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_THAT(text_of(*document, Terminal(-1)),
              HasSubstr("not available: The corpus: built without"));
}

TEST_F(StudyReportTest, AStartedStepMayHaveNothingInTheStore) {
  put(0, StudyStepState::begun, "20260101-000000-abcdef");
  EXPECT_THAT(report(), HasSubstr("Started but not complete"));
  // A finished step that lost its record is an error.
  put(0, StudyStepState::done, "20260101-000000-abcdef");
  EXPECT_THAT(report(), HasSubstr("one: "));
  EXPECT_THAT(report(), Not(HasSubstr("How small?")));
}

}  // namespace
}  // namespace tacho
