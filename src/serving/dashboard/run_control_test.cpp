#include "serving/dashboard/run_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::serve {
namespace {

using testing::HasSubstr;

Result<RunSettings> settings(const char* json) { return settings_from_json(*parse_json(json)); }

TEST(JobSettings, AreTheOptionsOfTheRequest) {
  EXPECT_EQ(*settings(R"({"lr": 0.05, "model": "lenet5", "data": "mnist", "stock": true,
                          "train_samples": 32})"),
            (RunSettings{{"model", "lenet5"},
                         {"data", "mnist"},
                         {"train-samples", "32"},
                         {"lr", "0.05"},
                         {"stock", "true"}}));
}

TEST(JobSettings, NameNoFilesAndStartNoFurtherProcesses) {
  for (const char* json : {R"({"model": "mlp", "data": "mnist", "weights": "/etc/passwd"})",
                           R"({"model": "mlp", "data": "mnist", "data_dir": "/"})",
                           R"({"model": "mlp", "data": "mnist", "env": "docker:x"})",
                           R"({"model": "mlp", "data": "mnist", "nproc": 1024})",
                           R"({"model": "mlp", "data": "mnist", "resume": 1})"}) {
    EXPECT_THAT(settings(json).error().message, HasSubstr("unknown key")) << json;
  }
}

TEST(JobSettings, RejectUnknownKeysAndInvalidValues) {
  EXPECT_FALSE(settings(R"({"data": "mnist"})").ok());
  EXPECT_FALSE(settings(R"({"model": "lenet5"})").ok());
  EXPECT_THAT(settings(R"({"model": "a", "data": "b", "bacth": 1})").error().message,
              HasSubstr("bacth"));
  EXPECT_FALSE(settings(R"({"model": "a", "data": "b", "batch": [1]})").ok());
  EXPECT_FALSE(settings(R"([])").ok());
}

}  // namespace
}  // namespace tacho::serve
