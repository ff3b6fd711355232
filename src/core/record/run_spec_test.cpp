#include "core/record/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace tacho {
namespace {

using testing::HasSubstr;

RunSpec sound_spec() {
  RunSpec spec;
  spec.model = "lenet5";
  spec.data = "fashion-mnist";
  return spec;
}

TEST(RunSpec, SurvivesTheRoundTripThroughJson) {
  RunSpec spec = sound_spec();
  spec.batch = 37;
  spec.steps = 12;
  spec.eval_samples = 9;
  spec.threads = 2;
  spec.target_top1 = 0.9;
  spec.mkldnn = Switch::off;
  spec.kernels = KernelKind::torch;
  spec.dropout = false;
  spec.ops = true;
  spec.optimizer = {.kind = OptimizerKind::adamw, .learning_rate = 3e-4, .weight_decay = 0.05};
  spec.schedule = {.kind = ScheduleKind::one_cycle, .warmup_epochs = 0.5};
  const auto text = json_text(to_json(spec));
  const auto back = run_spec_from_json(*parse_json(text));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, spec);
}

TEST(RunSpec, RefusesAnUnknownNestedKey) {
  Json json = to_json(sound_spec());
  json["optimizer"]["momentun"] = 0.9;
  EXPECT_THAT(run_spec_from_json(json).error().message,
              HasSubstr("spec: optimizer: unknown key 'momentun'; did you mean 'momentum'?"));
}

struct BadCase {
  const char* name;
  std::function<void(RunSpec&)> spoil;
  const char* says;
};

class RunSpecCheck : public testing::TestWithParam<BadCase> {};

TEST_P(RunSpecCheck, RefusesWhatMakesNoSense) {
  RunSpec spec = sound_spec();
  GetParam().spoil(spec);
  const auto checked = check(spec);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::usage);
  EXPECT_THAT(checked.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, RunSpecCheck,
    testing::Values(
        BadCase{"model", [](RunSpec& s) { s.model = "lenet"; }, "did you mean 'lenet5'"},
        BadCase{"data", [](RunSpec& s) { s.data = ""; }, "--data"},
        BadCase{"batch", [](RunSpec& s) { s.batch = 0; }, "--batch must be at least 1, not 0"},
        BadCase{"negative", [](RunSpec& s) { s.batch = -4; }, "not -4"},
        BadCase{"epochs", [](RunSpec& s) { s.epochs = 0; }, "--epochs"},
        BadCase{"threads", [](RunSpec& s) { s.threads = 0; }, "--threads"},
        BadCase{"seed", [](RunSpec& s) { s.seed = -1; }, "--seed"},
        BadCase{"rate", [](RunSpec& s) { s.optimizer.learning_rate = 0; }, "--lr"},
        BadCase{"nan", [](RunSpec& s) { s.optimizer.weight_decay = std::nan(""); },
                "--weight-decay"},
        BadCase{"nesterov", [](RunSpec& s) { s.optimizer.nesterov = true; }, "--nesterov needs"},
        BadCase{"adam",
                [](RunSpec& s) {
                  s.optimizer.kind = OptimizerKind::adam;
                  s.optimizer.momentum = 0.9;
                },
                "are for sgd"},
        BadCase{"target", [](RunSpec& s) { s.target_top1 = 85; }, "--target"},
        BadCase{"warmup", [](RunSpec& s) { s.schedule.warmup_epochs = 2; }, "--warmup-epochs"}),
    [](const auto& bad) { return bad.param.name; });

TEST(RunSpecCheck, AcceptsTheDefaults) { EXPECT_TRUE(check(sound_spec()).ok()); }

}  // namespace
}  // namespace tacho
