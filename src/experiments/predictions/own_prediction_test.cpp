#include "experiments/predictions/own_prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;

const Host kCpuHost{.cpu = "Made CPU", .cores = 8};
const Host kGpuHost{.cpu = "Made CPU", .cores = 8, .gpu = "Made GPU"};

OwnRun run_on(const Host& host, const std::string& data) {
  OwnRun run{.host = host};
  run.spec.model = "lenet5";
  run.spec.data = data;
  return run;
}

std::string message_of(const OwnQuestion& question) {
  const auto spec = own_spec(question, {}, kCpuHost);
  return spec.ok() ? "" : spec.error().message;
}

TEST(OwnSpec, TheDefaultDataIsThatOfMostRunsOfTheModelHere) {
  const Host elsewhere{.cpu = "Other CPU", .cores = 8};
  const std::vector<OwnRun> known = {
      run_on(kCpuHost, "mnist"),         run_on(kCpuHost, "fashion-mnist"),
      run_on(kCpuHost, "fashion-mnist"), run_on(elsewhere, "mnist"),
      run_on(elsewhere, "mnist"),        run_on(elsewhere, "mnist")};
  EXPECT_EQ(own_spec({.model = "lenet5"}, known, kCpuHost)->data, "fashion-mnist");
  EXPECT_EQ(own_spec({.model = "lenet5", .data = "mnist"}, known, kCpuHost)->data, "mnist");
  EXPECT_EQ(own_spec({.model = "mlp"}, known, kCpuHost)->data, "synthetic");
}

TEST(OwnSpec, UsesTheGpuIfThereIsOne) {
  EXPECT_EQ(own_spec({.model = "lenet5"}, {}, kGpuHost)->device, Device::cuda);
  EXPECT_EQ(own_spec({.model = "lenet5"}, {}, kCpuHost)->device, Device::cpu);
  EXPECT_EQ(own_spec({.model = "lenet5", .device = "cpu"}, {}, kGpuHost)->device, Device::cpu);
}

TEST(OwnSpec, HasTheGivenOptions) {
  const auto spec =
      own_spec({.model = "lenet5", .batch = 96, .precision = "bf16", .further = {{"threads", "3"}}},
               {}, kGpuHost);
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->batch, 96);
  EXPECT_EQ(spec->precision, Precision::bf16);
  EXPECT_EQ(spec->threads, 3);
}

TEST(OwnSpec, ExplainsInvalidOptions) {
  for (const double batch : {1.5, 0.0, -8.0, 1e10}) {
    EXPECT_THAT(message_of({.model = "lenet5", .batch = batch}),
                HasSubstr("is not a valid number of samples"));
  }
  EXPECT_EQ(message_of({.model = "lenet5", .batch = 1.5}),
            "--batch: 1.5 is not a valid number of samples");
  EXPECT_THAT(message_of({.model = "lenet6"}), HasSubstr("did you mean 'lenet5'?"));
  EXPECT_THAT(message_of({.model = "lenet5", .data = "mnits"}), HasSubstr("'mnist'"));
  EXPECT_THAT(message_of({.model = "lenet5", .precision = "bf61"}), HasSubstr("bf61"));
  EXPECT_THAT(message_of({.model = "lenet5", .device = "tpu"}), HasSubstr("tpu"));
  EXPECT_THAT(message_of({.model = "lenet5", .further = {{"thread", "3"}}}), HasSubstr("thread"));
}

class OwnPredictionView : public testing::Test {
 protected:
  RunSpec spec_ = *own_spec({.model = "lenet5", .batch = 64, .data = "mnist"}, {}, kGpuHost);
  RunPrediction prediction_{.step_seconds = {0.02, 0.01, 0.04},
                            .memory_bytes = {1 << 30, 1 << 29, 2.0 * (1 << 30)},
                            .basis = "4 configurations"};
};

TEST_F(OwnPredictionView, TextHasStepSpeedMemoryAndBasis) {
  EXPECT_EQ(own_prediction_text(spec_, kGpuHost, prediction_),
            "lenet5 on mnist, batch 64, fp32, on this machine: Made GPU\n"
            "  step     20.0 ms   (90 %: 10.0 ms … 40.0 ms)\n"
            "  speed    3,200 samples/s\n"
            "  memory   1.00 GiB   (90 %: 512 MiB … 2.00 GiB) on the GPU\n"
            "  basis    4 configurations\n");
}

TEST_F(OwnPredictionView, TextOmitsUnknownMemory) {
  spec_.device = Device::cpu;
  prediction_.memory_bytes = {};
  const std::string text = own_prediction_text(spec_, kGpuHost, prediction_);
  EXPECT_THAT(text, HasSubstr("on this machine: Made CPU\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("memory")));
}

TEST_F(OwnPredictionView, JsonHasTheSameValues) {
  EXPECT_EQ(own_prediction_json(spec_, kGpuHost, prediction_), Json::parse(R"({
      "model": "lenet5", "data": "mnist", "batch": 64, "precision": "fp32", "device": "cuda",
      "machine": "Made GPU",
      "step_seconds": {"value": 0.02, "low90": 0.01, "high90": 0.04},
      "samples_per_s": 3200.0,
      "memory_bytes": {"value": 1073741824.0, "low90": 536870912.0, "high90": 2147483648.0},
      "basis": "4 configurations"})"));
}

}  // namespace
}  // namespace tacho
