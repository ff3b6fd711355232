#include "tracing/report/run_findings.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

const ReportProgress kSilent = [](std::string_view) {};

std::string why(const RunFindings& run, std::string_view part) {
  for (const AbsentPart& absent : run.absent) {
    if (absent.part == part) return absent.why;
  }
  return "";
}

TEST(Gather, SaysHowToRecordEveryAbsentPart) {
  const ScratchFolder scratch;
  const RunFindings run = gather(RunFolder(scratch.path()), 5, RunRecord{}, kSilent);
  EXPECT_EQ(run.id, 5);
  EXPECT_EQ(why(run, "usage"), "not recorded: there is no usage.jsonl in the run's folder");
  EXPECT_EQ(why(run, "operators"), "not recorded; use tacho train --ops");
  EXPECT_NE(why(run, "GPU trace").find("--trace"), std::string::npos);
}

TEST(Gather, DoesNotSuggestTracingForARunWithoutAGpu) {
  const ScratchFolder scratch;
  RunRecord record;
  record.started.emplace();
  EXPECT_EQ(why(gather(RunFolder(scratch.path()), 1, record, kSilent), "GPU trace"),
            "this run used no GPU");
}

TEST(Gather, ReportsAProblemOfTheInjectedLibraryOnce) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path());
  ASSERT_TRUE(make_folders(folder.gpu_traces()).ok());
  for (const char* name : {"1.problem", "2.problem"}) {
    ASSERT_TRUE(write_file_atomically(folder.gpu_traces() / name, "no rights; set X\n").ok());
  }
  const RunFindings run = gather(folder, 1, RunRecord{}, kSilent);
  EXPECT_EQ(why(run, "GPU trace"), "no rights; set X");
  EXPECT_EQ(run.absent.size(), 3U);
}

TEST(Gather, DamageInOnePartDoesNotHideTheOthers) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path());
  ASSERT_TRUE(make_folders(folder.gpu_traces()).ok());
  ASSERT_TRUE(write_file_atomically(folder.gpu_traces() / "1.tgt", "not a trace").ok());
  ASSERT_TRUE(write_file_atomically(folder.ops(), "{").ok());
  UsageSample sample;
  sample.unix_seconds = 1;
  ASSERT_TRUE(write_file_atomically(folder.usage(), to_line(sample) + "\n").ok());
  const RunFindings run = gather(folder, 1, RunRecord{}, kSilent);
  EXPECT_TRUE(run.used.has_value());
  EXPECT_NE(why(run, "GPU trace").find("1.tgt"), std::string::npos) << why(run, "GPU trace");
  EXPECT_NE(why(run, "operators").find("ops.json"), std::string::npos);
}

}  // namespace
}  // namespace tacho
