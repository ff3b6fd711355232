#include "tracing/report/json_report.h"

#include <gtest/gtest.h>

#include "tracing/report/made_findings.h"

namespace tacho {
namespace {

TEST(JsonReport, HasAllParts) {
  const Json json = json_report(made_gpu_run());
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["run"]["id"], 7);
  EXPECT_DOUBLE_EQ(json["step"]["seconds"], 0.020);
  EXPECT_EQ(json["step"]["count"], 100);
  EXPECT_EQ(json["advice"][0]["key"], "none");
  EXPECT_EQ(json["gpu"][0]["kernels"][0]["class"], "convolution");
  EXPECT_EQ(json["gpu"][0]["steps"]["count"], 100);
  EXPECT_EQ(json["usage"]["cores_allowed"], 16);
  EXPECT_TRUE(json["operators"].is_null());
  EXPECT_TRUE(json["roofline"].is_null());
}

TEST(JsonReport, IsCompleteForARunWithOnlyARecord) {
  RunFindings run;
  run.absent.push_back({"usage", "why"});
  const Json json = json_report(run);
  EXPECT_TRUE(json["step"].is_null());
  EXPECT_TRUE(json["usage"].is_null());
  EXPECT_TRUE(json["gpu"].empty());
  EXPECT_EQ(json["absent"][0]["why"], "why");
}

TEST(JsonReport, IsValidWithNamesThatAreNotUtf8) {
  RunFindings run = made_gpu_run();
  run.processes[0].findings.tables.kernels[0].time.name = "\xFF\xFE";
  EXPECT_TRUE(parse_json(json_text(json_report(run))).ok());
}

}  // namespace
}  // namespace tacho
