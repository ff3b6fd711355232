#include "experiments/study/study_driver.h"

#include <gmock/gmock.h>

#include <map>

#include "base/scratch_folder.h"
#include "core/store/run_store.h"

namespace tacho {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Script = std::function<Result<StepEnd>(StepRow&)>;

// Executes steps by scripts, by name; a step without a script is done at once.
class ScriptedExecutor final : public StepExecutor {
 public:
  Result<void> check_needs(const StudyStep& step) override {
    current_ = step.name;
    for (const StudyNeed need : step.needs) {
      if (need == StudyNeed::gpu) return Error{ErrorCode::unavailable, "no GPU here"};
    }
    return {};
  }
  Result<StepEnd> execute(const ComparisonStep& /*work*/, StepRow& row) override {
    return make(row);
  }
  Result<StepEnd> execute(const GridStep& /*work*/, const StudyStep& /*step*/,
                          StepRow& row) override {
    return make(row);
  }
  Result<StepEnd> execute(const TrainingStep& /*work*/, StepRow& row) override { return make(row); }
  Result<StepEnd> execute(const ServingStep& /*work*/, const std::string& model_key,
                          StepRow& row) override {
    served = model_key;
    return make(row);
  }
  Result<StepEnd> execute(const SurveyStep& /*work*/, StepRow& row) override { return make(row); }

  std::map<std::string, Script> scripts;
  std::vector<std::string> executed;  // "NAME", or "NAME again as KEY"
  std::string served;

 private:
  Result<StepEnd> make(StepRow& row) {
    const std::string key = row.begun_as();
    executed.push_back(key.empty() ? current_ : current_ + " again as " + key);
    if (const auto script = scripts.find(current_); script != scripts.end()) {
      return script->second(row);
    }
    TACHO_CHECK(row.begin("key of " + current_));
    return StepEnd::done;
  }

  std::string current_;
};

StudyStep step(std::string name, StudyWork work, std::vector<StudyNeed> needs = {}) {
  StudyStep made{.name = name, .title = "title of " + name, .work = std::move(work)};
  made.needs = std::move(needs);
  made.key = "hash of " + name;
  return made;
}

class StudyDriverTest : public ::testing::Test {
 protected:
  StudyDriverTest() : store_(*RunStore::open(folder_.path() / "tacho.db")) {
    id_ = store_.studies().add({.key = "k", .name = "s", .level = "quick", .started = "now"})->id;
  }

  Result<bool> drive() {
    StudyDriver driver(
        study_, id_, store_.studies(), executor_, [this] { return interrupted_; },
        [this](std::string_view line) { said_.emplace_back(line); });
    return driver.run();
  }
  StudyStepRow row_of(const std::string& name) {
    return store_.studies().step(id_, "hash of " + name)->value();
  }

  ScratchFolder folder_;
  RunStore store_;
  std::int64_t id_ = 0;
  Study study_{.name = "s"};
  ScriptedExecutor executor_;
  bool interrupted_ = false;
  std::vector<std::string> said_;
};

TEST_F(StudyDriverTest, ExecutesStepsInOrderAndOnlyOnce) {
  study_.steps = {step("train", TrainingStep{}), step("compare", ComparisonStep{})};
  EXPECT_TRUE(*drive());
  EXPECT_TRUE(*drive());
  EXPECT_THAT(executor_.executed, ElementsAre("train", "compare"));
  EXPECT_EQ(row_of("train").state, StudyStepState::done);
  EXPECT_EQ(row_of("train").record_key, "key of train");
  EXPECT_THAT(said_, ElementsAre("step 1 of 2: title of train", "step 2 of 2: title of compare"));
}

TEST_F(StudyDriverTest, AnInterruptedStepIsFoundAgainUnderItsKey) {
  study_.steps = {step("train", TrainingStep{}), step("compare", ComparisonStep{})};
  executor_.scripts["train"] = [this](StepRow& row) -> Result<StepEnd> {
    TACHO_CHECK(row.begin("first"));
    interrupted_ = true;
    return StepEnd::done;
  };
  EXPECT_FALSE(*drive());
  EXPECT_EQ(row_of("train").state, StudyStepState::begun);
  interrupted_ = false;
  executor_.scripts.clear();
  EXPECT_TRUE(*drive());
  EXPECT_THAT(executor_.executed, ElementsAre("train", "train again as first", "compare"));
}

TEST_F(StudyDriverTest, AStoppedStepEndsTheStudyForNow) {
  study_.steps = {step("train", TrainingStep{}), step("compare", ComparisonStep{})};
  executor_.scripts["train"] = [](StepRow& row) -> Result<StepEnd> {
    TACHO_CHECK(row.begin("first"));
    return StepEnd::stopped;
  };
  EXPECT_FALSE(*drive());
  EXPECT_THAT(executor_.executed, ElementsAre("train"));
}

TEST_F(StudyDriverTest, AMissingRequirementIsStoredAndTheStudyContinues) {
  study_.steps = {step("gpu", TrainingStep{}, {StudyNeed::gpu}), step("engines", ComparisonStep{}),
                  step("cpu", TrainingStep{})};
  executor_.scripts["engines"] = [](StepRow& row) -> Result<StepEnd> {
    row.add_absent({"podman", "is not installed"});
    row.add_absent({"podman", "is not installed"});
    return Error{ErrorCode::unavailable, "fewer than two"};
  };
  EXPECT_TRUE(*drive());
  EXPECT_EQ(row_of("gpu").state, StudyStepState::impossible);
  EXPECT_THAT(row_of("gpu").absent, ElementsAre(AbsentThing{"title of gpu", "no GPU here"}));
  EXPECT_THAT(row_of("engines").absent,
              ElementsAre(AbsentThing{"podman", "is not installed"},
                          AbsentThing{"title of engines", "fewer than two"}));
  EXPECT_EQ(row_of("cpu").state, StudyStepState::done);
  // It is tried again, and the reason is stored once.
  EXPECT_TRUE(*drive());
  EXPECT_EQ(row_of("engines").absent.size(), 2);
}

TEST_F(StudyDriverTest, AnyOtherErrorEndsTheStudyAndNamesTheStep) {
  study_.steps = {step("train", TrainingStep{}), step("compare", ComparisonStep{})};
  executor_.scripts["train"] = [](StepRow&) -> Result<StepEnd> {
    return Error{ErrorCode::io, "disk full"};
  };
  EXPECT_EQ(drive().error().message, "train: disk full");
  EXPECT_THAT(executor_.executed, ElementsAre("train"));
}

TEST_F(StudyDriverTest, AServedModelComesFromItsTraining) {
  study_.steps = {step("train", TrainingStep{}), step("serve", ServingStep{.model = "train"})};
  EXPECT_TRUE(*drive());
  EXPECT_EQ(executor_.served, "key of train");
}

TEST_F(StudyDriverTest, StepsThatReportOnOthersNeedOneThatWasExecuted) {
  study_.steps = {step("gpu", TrainingStep{}, {StudyNeed::gpu}),
                  step("cpu", TrainingStep{}),
                  step("serve", ServingStep{.model = "gpu"}),
                  step("savings of both", SavingsStep{.of = {"gpu", "cpu"}}),
                  step("cost of gpu", CostStep{.of = {"gpu"}}),
                  step("missing", MissingStep{.of = "gpu", .independent = ""}),
                  step("corpus", PredictionStep{})};
  EXPECT_TRUE(*drive());
  EXPECT_THAT(executor_.executed, ElementsAre("cpu"));
  EXPECT_THAT(row_of("serve").absent.front().why,
              HasSubstr("step 'title of gpu', which trains the served model, was not possible"));
  EXPECT_EQ(row_of("savings of both").state, StudyStepState::done);
  EXPECT_THAT(row_of("cost of gpu").absent.front().why, HasSubstr("which this step reports on"));
  EXPECT_EQ(row_of("missing").state, StudyStepState::impossible);
  EXPECT_EQ(row_of("corpus").state, StudyStepState::done);
}

}  // namespace
}  // namespace tacho
