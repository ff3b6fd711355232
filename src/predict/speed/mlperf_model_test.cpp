#include "predict/speed/mlperf_model.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

std::string meant(const char* framework, const char* architecture, double batch) {
  TrainingJob job;
  job.model = "SSD (MLPerf)";
  job.framework = framework;
  job.batch_per_gpu = batch;
  GpuSpec gpu;
  gpu.architecture = architecture;
  return meant_model(job, gpu);
}

TEST(MlperfModel, IsRetinaNetSinceRoundTwo) {
  EXPECT_EQ(meant("NGC MXNet 22.04 , NGC PyTorch 22.04", "Ampere", 64), "ssd_retinanet");
  EXPECT_EQ(meant("NGC MLPerf v4.0", "Ampere", 32), "ssd_retinanet");
  EXPECT_EQ(meant("", "Hopper", 32), "ssd_retinanet");
  EXPECT_EQ(meant("PyTorch", "Ampere", 16), "ssd_retinanet");
}

TEST(MlperfModel, IsSsdBefore) {
  EXPECT_EQ(meant("PyTorch NVIDIA Release 20.06", "Volta", 120), "ssd300_resnet34");
  EXPECT_EQ(meant("MXNet 1.8.0", "Ampere", 32), "ssd300_resnet34");
  EXPECT_EQ(meant("NGC PyTorch 21.09", "Ampere", 114), "ssd300_resnet34");
}

TEST(MlperfModel, KeepsOtherNames) {
  TrainingJob job;
  job.model = "ResNet-50 v1.5";
  EXPECT_EQ(meant_model(job, {}), "ResNet-50 v1.5");
}

}  // namespace
}  // namespace tacho
