#include "experiments/runner/sweep_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/store/test_runs.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

// Returns a cell of a table without quoted cells.
std::string cell(const std::string& csv, const std::string& column) {
  std::istringstream lines(csv);
  std::string head;
  std::string row;
  std::getline(lines, head);
  std::getline(lines, row);
  std::istringstream names(head);
  std::istringstream cells(row);
  std::string name;
  std::string value;
  while (std::getline(names, name, ',') && std::getline(cells, value, ',')) {
    if (name == column) return value;
  }
  return "no such column";
}

ExportedRun some_run() {
  ExportedRun run{.record = finished_run("key", 0.75)};
  run.task.position = 7;
  run.record.order.spec.data_folder = "/home/someone/data";
  run.record.started->host.name = "someones-machine";
  run.record.started->host.cpu = "a processor";
  return run;
}

TEST(SweepExport, HasSpecMachineQuantilesAndCurves) {
  const ExportedRun run = some_run();
  const std::string csv = sweep_csv(std::span(&run, 1));
  EXPECT_EQ(cell(csv, "position"), "7");
  EXPECT_EQ(cell(csv, "spec.model"), "lenet5");
  EXPECT_EQ(cell(csv, "spec.optimizer.kind"), "sgd");
  EXPECT_EQ(cell(csv, "cpu"), "a processor");
  EXPECT_EQ(cell(csv, "step_q50_s"), "0.375");
  EXPECT_EQ(cell(csv, "epoch_top1"), "0.75");
}

TEST(SweepExport, ContainsNoPathsAndNoHostNames) {
  const ExportedRun run = some_run();
  const std::string csv = sweep_csv(std::span(&run, 1));
  EXPECT_THAT(csv, Not(HasSubstr("someone")));
}

TEST(SweepExport, HasTheColumnsOfAllRuns) {
  std::vector<ExportedRun> runs = {some_run(), some_run()};
  runs[0].record.order.command.emplace().argv = {"train"};
  const std::string csv = sweep_csv(runs);
  EXPECT_EQ(cell(csv, "command"), "train");
  EXPECT_EQ(cell(csv, "spec.model"), "");
}

}  // namespace
}  // namespace tacho
