#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/emit/json_lines_sink.h"
#include "experiments/exchange/export_runs.h"
#include "experiments/exchange/foreign_runs.h"
#include "experiments/exchange/parquet_file.h"
#include "experiments/exchange/run_history.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

// Times are whole milliseconds, which MLflow can store.
PortableRun digits_run() {
  PortableRun run{.id = "k1"};
  run.described = {"base", "digits", {"small", "owner=me"}, {{"lr", "0.1"}, {"model.depth", "3"}}};
  run.notes = {"a note"};
  run.began = 1700000000.125;
  run.ended = 1700000009.5;
  run.outcome = Outcome::cancelled;
  run.points = {{0, 1700000001.001, {{"loss", 0.1}, {"eval/top 1", 1e-300}}},
                {0, 1700000002.002, {{"loss", 1.0 / 3}}},
                {std::int64_t{1} << 40, 1700000003.003, {{"loss", -2.5e17}}}};
  return run;
}

void expect_same_points(const PortableRun& run, const PortableRun& expected) {
  ASSERT_EQ(run.points.size(), expected.points.size());
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    EXPECT_EQ(run.points[i].step, expected.points[i].step) << i;
    EXPECT_EQ(run.points[i].unix_seconds, expected.points[i].unix_seconds) << i;
    EXPECT_EQ(run.points[i].values, expected.points[i].values) << i;
  }
}

class ExportsTest : public testing::Test {
 protected:
  PortableRun round_trip(const PortableRun& run, ExportFormat format, const char* name) {
    const fs::path path = folder_.path() / name;
    const auto written = export_runs({run}, format, path);
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message);
    auto runs = read_foreign_runs(path, "");
    EXPECT_TRUE(runs.ok()) << (runs.ok() ? "" : runs.error().message);
    EXPECT_EQ(runs->size(), 1U);
    return std::move(runs->front());
  }
  ScratchFolder folder_;
};

TEST_F(ExportsTest, ARoundTripKeepsStepsTimesAndValues) {
  const PortableRun run = digits_run();
  expect_same_points(round_trip(run, ExportFormat::csv, "base.csv"), run);
  expect_same_points(round_trip(run, ExportFormat::jsonl, "base.jsonl"), run);
  expect_same_points(round_trip(run, ExportFormat::tensorboard, "tb"), run);
  expect_same_points(round_trip(run, ExportFormat::mlflow, "mlruns"), run);
}

TEST_F(ExportsTest, FiguresMayHaveTheNamesOfColumns) {
  PortableRun run = digits_run();
  run.points = {{3, 1700000001, {{"_step", 7}, {"__step", 8}, {"step", 9}, {"_", 10}}},
                {4, 1700000002, {{"_runtime", 0.5}, {"_timestamp", -1}, {"runtime", 2}}}};
  for (const auto& [format, name] :
       {std::pair(ExportFormat::csv, "a.csv"), std::pair(ExportFormat::jsonl, "a.jsonl"),
        std::pair(ExportFormat::mlflow, "mlruns"), std::pair(ExportFormat::tensorboard, "tb")}) {
    SCOPED_TRACE(name);
    expect_same_points(round_trip(run, format, name), run);
  }
  EXPECT_THAT(*read_file(folder_.path() / "a.csv"),
              StartsWith("_step,_timestamp,_runtime,_,___step,__runtime,__step,__timestamp,"));
  const std::string parquet = parquet_history(run);
  for (const char* column : {"__step", "___step", "__runtime", "__timestamp"}) {
    EXPECT_THAT(parquet, HasSubstr(column));
  }
}

TEST_F(ExportsTest, ARoundTripKeepsTheName) {
  EXPECT_EQ(round_trip(digits_run(), ExportFormat::csv, "base.csv").described.name, "base");
  EXPECT_EQ(round_trip(digits_run(), ExportFormat::jsonl, "base.jsonl").described.name, "base");
  EXPECT_EQ(round_trip(digits_run(), ExportFormat::tensorboard, "tb").described.name, "base");
}

TEST_F(ExportsTest, MlflowKeepsAllThatDescribesARun) {
  const PortableRun run = round_trip(digits_run(), ExportFormat::mlflow, "mlruns");
  EXPECT_EQ(run.described.name, "base");
  EXPECT_EQ(run.described.project, "digits");
  EXPECT_THAT(run.described.tags, UnorderedElementsAre("small", "owner=me"));
  EXPECT_THAT(run.notes, ElementsAre("a note"));
  EXPECT_EQ(run.described.config, digits_run().described.config);
  EXPECT_EQ(run.began, digits_run().began);
  EXPECT_EQ(run.ended, digits_run().ended);
  EXPECT_EQ(run.outcome, Outcome::cancelled);
}

TEST_F(ExportsTest, ValuesThatAreNoNumberStaySo) {
  PortableRun run = digits_run();
  run.points = {{1, 1700000001, {{"loss", std::nan("")}}}};
  for (const auto& [format, name] :
       {std::pair(ExportFormat::csv, "a.csv"), std::pair(ExportFormat::jsonl, "a.jsonl"),
        std::pair(ExportFormat::mlflow, "mlruns")}) {
    EXPECT_TRUE(std::isnan(round_trip(run, format, name).points.at(0).values.at("loss"))) << name;
  }
}

TEST_F(ExportsTest, RunsOfAProjectShareAnExperimentOfMlflow) {
  PortableRun second = digits_run();
  second.id = "k2";
  second.described.name = "other";
  const fs::path store = folder_.path() / "mlruns";
  ASSERT_TRUE(export_runs({digits_run()}, ExportFormat::mlflow, store).ok());
  ASSERT_TRUE(export_runs({second, digits_run()}, ExportFormat::mlflow, store).ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(store), fs::directory_iterator()), 1);
  EXPECT_THAT(*read_foreign_runs(store, ""), SizeIs(2));
}

TEST_F(ExportsTest, NamesCannotLeaveTheFolderOfMlflow) {
  PortableRun run = digits_run();
  run.points = {{1, 1700000001, {{"../../../out", 1}, {"a//b", 2}, {"loss%", 3}, {"/x", 4}}}};
  const PortableRun back = round_trip(run, ExportFormat::mlflow, "mlruns");
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
  EXPECT_THAT(back.points.at(0).values,
              UnorderedElementsAre(Key("_/_/_/out"), Key("a/_/b"), Key("loss_"), Key("_/x")));
  run.points = {{1, 1700000001, {{"loss%", 3}, {"loss&", 4}}}};
  const auto refused = export_runs({run}, ExportFormat::mlflow, folder_.path() / "two");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("two of them would become the same"));
}

TEST_F(ExportsTest, ANameThatIsAFolderInMlflowGetsAnUnderscore) {
  PortableRun run = digits_run();
  run.points = {{1, 1700000001, {{"epoch", 1}, {"epoch/loss", 2}, {"epoch-1", 3}}}};
  EXPECT_THAT(round_trip(run, ExportFormat::mlflow, "mlruns").points.at(0).values,
              UnorderedElementsAre(Key("epoch_"), Key("epoch/loss"), Key("epoch-1")));
}

TEST_F(ExportsTest, SeveralRunsBecomeSeveralFilesInAFolder) {
  PortableRun second = digits_run();
  second.id = "k2";
  PortableRun third = digits_run();
  third.described.name = "a/../b";
  const auto written =
      export_runs({digits_run(), second, third}, ExportFormat::jsonl, folder_.path() / "new");
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_THAT(*written,
              ElementsAre(folder_.path() / "new/base.jsonl", folder_.path() / "new/base-k2.jsonl",
                          folder_.path() / "new/a_.._b.jsonl"));
}

TEST_F(ExportsTest, DoesNotMixEventFilesOfTensorBoard) {
  ASSERT_TRUE(export_runs({digits_run()}, ExportFormat::tensorboard, folder_.path() / "tb").ok());
  const auto again = export_runs({digits_run()}, ExportFormat::tensorboard, folder_.path() / "tb");
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().message, HasSubstr("choose another folder"));
}

TEST_F(ExportsTest, ARunWithoutFiguresHasOnlySettings) {
  PortableRun run = digits_run();
  run.points.clear();
  const auto refused = export_runs({run}, ExportFormat::csv, folder_.path() / "a.csv");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("run base has no figures"));
  EXPECT_EQ(round_trip(run, ExportFormat::mlflow, "mlruns").described.config.size(), 2U);
}

TEST_F(ExportsTest, ValuesWithoutAStepAreNumberedByName) {
  const RunFolder folder(folder_.path() / "run");
  StoredRun stored;
  stored.row = {.id = 4, .folder = folder.path(), .model = "train.py"};
  stored.record.order = new_order(CommandSpec{});
  stored.record.edits = RunEdits{.notes = "by the user"};
  ASSERT_TRUE(folder.create(stored.record.order).ok());
  auto sink = *JsonLinesSink::open(folder.events());
  for (const auto& [time, name] : {std::pair(1, "loss"), {2, "top1"}, {3, "loss"}}) {
    ASSERT_TRUE(sink->write({1000.0 + time, FiguresSeen{"output", {}, {{name, 0.5}}}}).ok());
  }
  const auto run = portable_run(stored);
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_THAT(run->points, SizeIs(3));
  EXPECT_EQ(run->points[0].step, 1);
  EXPECT_EQ(run->points[1].step, 1);
  EXPECT_EQ(run->points[2].step, 2);
  EXPECT_THAT(run->notes, ElementsAre("by the user"));
}

TEST_F(ExportsTest, ATrainingHasItsStepsAndEpochs) {
  const RunFolder folder(folder_.path() / "run");
  StoredRun stored;
  stored.row = {.id = 4, .folder = folder.path(), .model = "lenet5"};
  stored.record.order = new_order(RunSpec{});
  stored.record.order.created_at = 1000;
  ASSERT_TRUE(folder.create(stored.record.order).ok());
  auto sink = *JsonLinesSink::open(folder.events());
  const auto steps = [](std::int64_t epoch, std::int64_t first) {
    return StepsDone{epoch, first, 0, {0.5, 1}, {0.25, 0}, {2, 1}};
  };
  ASSERT_TRUE(sink->write({1001, RunStarted{}}).ok());
  ASSERT_TRUE(sink->write({1003, steps(1, 1)}).ok());
  ASSERT_TRUE(sink->write({1004, EpochDone{.epoch = 1, .top1 = 0.5}}).ok());
  ASSERT_TRUE(sink->write({1006, steps(2, 3)}).ok());
  ASSERT_TRUE(sink->write({1010, RunStarted{.resumed_epochs = 1}}).ok());
  ASSERT_TRUE(sink->write({1013, steps(2, 3)}).ok());
  const auto run = portable_run(stored);
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_THAT(run->points, SizeIs(5));  // the epoch that was repeated counts once
  EXPECT_EQ(run->points[0].step, 1);
  EXPECT_EQ(run->points[0].unix_seconds, 1002);
  EXPECT_EQ(run->points[0].values.at("train/loss"), 2);
  EXPECT_EQ(run->points[2].step, 2);
  EXPECT_EQ(run->points[2].values.at("eval/top1"), 0.5);
  EXPECT_EQ(run->points[4].step, 4);
  EXPECT_EQ(run->points[4].unix_seconds, 1013);
  EXPECT_EQ(run->described.name, "lenet5");
  EXPECT_TRUE(run->described.config.contains("batch"));
}

}  // namespace
}  // namespace tacho
