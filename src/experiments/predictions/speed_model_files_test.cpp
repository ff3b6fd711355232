#include "experiments/predictions/speed_model_files.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "experiments/predictions/test_runs.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SpeedModelFiles : public HomeTest {
 protected:
  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(write_file_atomically(home_.path() / name, text).ok());
  }
  // All files but throughput.csv.
  void write_catalog() {
    write("gpus.csv", shipped_gpus_csv());
    write("model_features.csv", shipped_model_features_csv());
    write("transformers.csv", shipped_transformers_csv());
    write("other_models.csv", shipped_other_models_csv());
  }
  // The header and the first row of the built-in file.
  static std::string one_measurement() {
    const std::string_view all = shipped_throughput_csv();
    return std::string(all.substr(0, all.find('\n', all.find('\n') + 1) + 1));
  }
};

TEST_F(SpeedModelFiles, AFolderReplacesTheBuiltInMeasurements) {
  write_catalog();
  write("throughput.csv", one_measurement());
  const auto jobs = read_published_jobs(home_.path().string());
  ASSERT_TRUE(jobs.ok()) << jobs.error().message;
  EXPECT_EQ(jobs->examples.size(), 1U);
  EXPECT_TRUE(jobs->gpus.find("H100").ok());
}

TEST_F(SpeedModelFiles, AMissingFileIsNamed) {
  write_catalog();
  const auto jobs = read_published_jobs(home_.path().string());
  ASSERT_FALSE(jobs.ok());
  EXPECT_THAT(jobs.error().message, HasSubstr("throughput.csv"));
}

TEST_F(SpeedModelFiles, EveryMeasuredGpuMustBeInTheCatalog) {
  write_catalog();
  const std::string gpus(shipped_gpus_csv());
  write("gpus.csv", gpus.substr(0, gpus.find('\n', gpus.find('\n') + 1) + 1));  // K80
  write("throughput.csv", one_measurement());
  const auto jobs = read_published_jobs(home_.path().string());
  ASSERT_FALSE(jobs.ok());
  EXPECT_THAT(jobs.error().message, StartsWith("throughput.csv: unknown GPU"));
}

TEST_F(SpeedModelFiles, TheModelOfTheUserReplacesTheBuiltInOne) {
  ASSERT_TRUE(open_predictor(std::nullopt).ok());
  write("speed-model.json", "{}");
  const auto refused = open_predictor(std::nullopt);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, StartsWith(own_speed_model(home_.path()).string() + ": "));
}

TEST_F(SpeedModelFiles, AGivenFileReplacesBoth) {
  write("speed-model.json", "{}");
  write("given.json", shipped_speed_model());
  EXPECT_TRUE(open_predictor((home_.path() / "given.json").string()).ok());
  const auto missing = open_predictor((home_.path() / "missing.json").string());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("missing.json"));
}

}  // namespace
}  // namespace tacho
