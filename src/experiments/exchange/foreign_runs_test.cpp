#include "experiments/exchange/foreign_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/emit/tf_record.h"
#include "core/store/sqlite.h"
#include "experiments/exchange/test_wandb.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

class ForeignRunsTest : public testing::Test {
 protected:
  void write(const fs::path& file, std::string_view content) {
    ASSERT_TRUE(make_folders((folder_.path() / file).parent_path()).ok());
    ASSERT_TRUE(write_file_atomically(folder_.path() / file, content).ok());
  }
  std::vector<PortableRun> read(const fs::path& path) {
    auto runs = read_foreign_runs(folder_.path() / path, "");
    EXPECT_TRUE(runs.ok()) << (runs.ok() ? "" : runs.error().message);
    return runs.ok() ? *std::move(runs) : std::vector<PortableRun>();
  }
  std::string refusal(const fs::path& path) {
    const auto runs = read_foreign_runs(folder_.path() / path, "");
    return runs.ok() ? "accepted" : runs.error().message;
  }
  void write_mlflow_files() {
    write("mlruns/5/meta.yaml", "experiment_id: '5'\nlifecycle_stage: active\nname: digits\n");
    write("mlruns/5/ab12/meta.yaml",
          "artifact_uri: file:///x\nend_time: 1700000009500\nexperiment_id: '5'\n"
          "lifecycle_stage: active\nrun_id: ab12\nrun_name: base\nrun_uuid: ab12\n"
          "start_time: 1700000000125\nstatus: 3\ntags: []\nuser_id: me\n");
    write("mlruns/5/ab12/metrics/loss", "1700000001001 0.1 0\n1700000002002 nan 1\n");
    write("mlruns/5/ab12/metrics/eval/top1", "1700000001001 0.5 0\n");
    write("mlruns/5/ab12/params/lr", "0.1");
    write("mlruns/5/ab12/params/db_password", "x1");
    write("mlruns/5/ab12/tags/owner", "me");
    write("mlruns/5/ab12/tags/mlflow.user", "me");
    write("mlruns/5/ab12/tags/mlflow.note.content", "a note");
  }

  ScratchFolder folder_;
};

TEST_F(ForeignRunsTest, FindsTheRunsOfWandbBelowAFolder) {
  auto second = wandb_records();
  second[0] = wandb_part(17, wandb_part(1, "9b0e77"));
  write("work/wandb/offline-run-20260101_000000-3fa8c1/run-3fa8c1.wandb",
        wandb_file(wandb_records()));
  write("work/wandb/offline-run-20260101_000001-9b0e77/run-9b0e77.wandb", wandb_file(second));
  fs::create_directory_symlink("offline-run-20260101_000001-9b0e77",
                               folder_.path() / "work/wandb/latest-run");
  for (const char* place : {"work", "work/wandb"}) {
    const auto runs = read(place);
    ASSERT_THAT(runs, SizeIs(2)) << place;
    EXPECT_EQ(runs[0].described.name, "base");
    EXPECT_EQ(runs[1].described.name, "9b0e77");
  }
  EXPECT_THAT(read("work/wandb/latest-run"), SizeIs(1));
  EXPECT_THAT(read("work/wandb/latest-run/run-9b0e77.wandb"), SizeIs(1));
}

TEST_F(ForeignRunsTest, ReadsTheFilesOfMlflow) {
  write_mlflow_files();
  for (const char* place : {"", "mlruns", "mlruns/5", "mlruns/5/ab12"}) {
    const auto runs = read(place);
    ASSERT_THAT(runs, SizeIs(1)) << place;
    const PortableRun& run = runs[0];
    EXPECT_EQ(run.id, "ab12");
    EXPECT_EQ(run.described.name, "base");
    EXPECT_EQ(run.described.project, "digits");
    EXPECT_THAT(run.described.tags, ElementsAre("owner=me"));
    EXPECT_THAT(run.described.config, ElementsAre(Pair("db_password", "***"), Pair("lr", "0.1")));
    EXPECT_THAT(run.notes, ElementsAre("a note"));
    EXPECT_EQ(run.began, 1700000000.125);
    EXPECT_EQ(run.ended, 1700000009.5);
    EXPECT_EQ(run.outcome, Outcome::ok);
    ASSERT_THAT(run.points, SizeIs(2));
    EXPECT_EQ(run.points[0].unix_seconds, 1700000001.001);
    EXPECT_THAT(run.points[0].values, ElementsAre(Pair("eval/top1", 0.5), Pair("loss", 0.1)));
    EXPECT_EQ(run.points[1].step, 1);
    EXPECT_TRUE(std::isnan(run.points[1].values.at("loss")));
  }
}

TEST_F(ForeignRunsTest, PointsWithTimesThatNoCalendarHasAreThoseOfTheStart) {
  write_mlflow_files();
  write("mlruns/5/ab12/metrics/loss", "170000000000000000 0.1 0\n1700000002002 2 1\n");
  const auto runs = read("mlruns");
  EXPECT_EQ(runs.at(0).began, 1700000000.125);
  EXPECT_EQ(runs[0].points.at(0).unix_seconds, 1700000000.125);
  EXPECT_EQ(runs[0].points[0].values.at("loss"), 0.1);
}

TEST_F(ForeignRunsTest, LeavesOutWhatIsDeletedInMlflow) {
  write_mlflow_files();
  write("mlruns/5/cd34/meta.yaml", "run_id: cd34\nlifecycle_stage: deleted\nstatus: 3\n");
  write("mlruns/6/meta.yaml", "experiment_id: '6'\nlifecycle_stage: deleted\nname: old\n");
  write("mlruns/6/ef56/meta.yaml", "run_id: ef56\nlifecycle_stage: active\nstatus: 3\n");
  EXPECT_THAT(read("mlruns"), SizeIs(1));
}

TEST_F(ForeignRunsTest, NamesTheFileOfMlflowThatIsWrong) {
  write_mlflow_files();
  write("mlruns/5/ab12/metrics/loss", "1700000001001 oops 0\n");
  EXPECT_THAT(refusal("mlruns"), HasSubstr("metrics/loss: '1700000001001 oops 0' is not "
                                           "'time value step', as MLflow writes it"));
  write("mlruns/5/ab12/meta.yaml", "run_id: ab12\nstatus: 9\n");
  EXPECT_THAT(refusal("mlruns"), HasSubstr("status 9 is none of MLflow's"));
  write("mlruns/5/ab12/meta.yaml", "run_id: ab12\nstart_time: soon\n");
  EXPECT_THAT(refusal("mlruns"), HasSubstr("meta.yaml:2:13"));
  write("mlruns/5/ab12/meta.yaml", "{");
  EXPECT_THAT(refusal("mlruns"), HasSubstr("meta.yaml:1"));
}

TEST_F(ForeignRunsTest, ReadsADatabaseOfMlflow) {
  {
    auto database = Database::open(folder_.path() / "mlflow.db");
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(
        database
            ->execute(
                "CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256), "
                "lifecycle_stage VARCHAR(32));"
                "CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250), "
                "status VARCHAR(20), start_time BIGINT, end_time BIGINT, "
                "lifecycle_stage VARCHAR(20), experiment_id INTEGER);"
                "CREATE TABLE metrics (key VARCHAR(250), value FLOAT, timestamp BIGINT, "
                "run_uuid VARCHAR(32), step BIGINT, is_nan BOOLEAN);"
                "CREATE TABLE params (key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));"
                "CREATE TABLE tags (key VARCHAR(250), value VARCHAR(5000), run_uuid VARCHAR(32));"
                "INSERT INTO experiments VALUES (1, 'digits', 'active');"
                "INSERT INTO runs VALUES ('ab12', 'base', 'FINISHED', 1700000000125, "
                "1700000009500, 'active', 1);"
                "INSERT INTO runs VALUES ('cd34', NULL, 'RUNNING', 1700000000126, NULL, 'active', "
                "1), ('ef56', 'gone', 'FINISHED', 1, 2, 'deleted', 1);"
                "INSERT INTO metrics VALUES ('loss', 0.1, 1700000001001, 'ab12', 0, 0), "
                "('loss', 0, 1700000002002, 'ab12', 1, 1);"
                "INSERT INTO params VALUES ('lr', '0.1', 'ab12');"
                "INSERT INTO tags VALUES ('owner', 'me', 'ab12'), "
                "('mlflow.runName', 'second', 'cd34');")
            .ok());
  }
  const auto runs = read("mlflow.db");
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].described.name, "base");
  EXPECT_EQ(runs[0].described.project, "digits");
  EXPECT_THAT(runs[0].described.config, ElementsAre(Pair("lr", "0.1")));
  EXPECT_EQ(runs[0].began, 1700000000.125);
  ASSERT_THAT(runs[0].points, SizeIs(2));
  EXPECT_EQ(runs[0].points[0].values.at("loss"), 0.1);
  EXPECT_TRUE(std::isnan(runs[0].points[1].values.at("loss")));
  EXPECT_EQ(runs[1].described.name, "second");
  EXPECT_EQ(runs[1].outcome, Outcome::failed);
}

TEST_F(ForeignRunsTest, RefusesOtherDatabases) {
  ASSERT_TRUE(Database::open(folder_.path() / "x.db")->execute("CREATE TABLE a (b)").ok());
  EXPECT_THAT(refusal("x.db"), HasSubstr("not a whole SQLite database of MLflow"));
  auto bytes = *read_file(folder_.path() / "x.db");
  write("x.db", std::string_view(bytes).substr(0, 100));
  EXPECT_THAT(refusal("x.db"), HasSubstr("not a whole SQLite database of MLflow"));
}

TEST_F(ForeignRunsTest, DoesNotFollowLinksOutOfAStoreOfMlflow) {
  write_mlflow_files();
  write("outside/id", "secret");
  fs::remove_all(folder_.path() / "mlruns/5/ab12/params");
  fs::create_directory_symlink("../../../outside", folder_.path() / "mlruns/5/ab12/params");
  write("elsewhere/meta.yaml", "experiment_id: '5'\nlifecycle_stage: active\nrun_id: cd34\n");
  fs::create_directory_symlink("../../elsewhere", folder_.path() / "mlruns/5/cd34");
  const auto runs = read("mlruns");
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_TRUE(runs[0].described.config.empty());
}

TEST_F(ForeignRunsTest, RefusesViewsInPlaceOfTables) {
  ASSERT_TRUE(Database::open(folder_.path() / "x.db")
                  ->execute("CREATE VIEW runs AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT "
                            "x + 1 FROM c) SELECT x AS run_uuid FROM c")
                  .ok());
  EXPECT_THAT(refusal("x.db"), HasSubstr("its tables are not MLflow's"));
}

// A scalar as older writers store it: a float, without a step if that is 0.
std::string scalar(double time, std::int64_t step, const std::string& tag, float value) {
  ProtobufMessage number;
  number.add_bytes(1, tag).add_float(2, value);
  ProtobufMessage event;
  event.add_double(1, time);
  if (step != 0) event.add_int64(2, step);
  event.add_bytes(5, wandb_part(1, number.bytes()));
  return tf_record(event.bytes());
}

TEST_F(ForeignRunsTest, ADamagedEventFileIsNotImportedInPart) {
  std::string bytes = scalar(1000.5, 0, "loss", 2.5F) + scalar(1001.5, 1, "loss", 0.5F);
  bytes[bytes.size() - 8] ^= 1;
  write("runs/a/events.out.tfevents.1000.box", bytes);
  EXPECT_THAT(refusal("runs"), HasSubstr("damaged"));
}

TEST_F(ForeignRunsTest, EachFolderWithEventFilesIsARun) {
  write("runs/a/events.out.tfevents.1000.box", scalar(1000.5, 0, "loss", 2.5F));
  write("runs/a/events.out.tfevents.2000.box", scalar(2000.5, 1, "loss", 0.5F));
  write("runs/b/c/events.out.tfevents.1000.box",
        scalar(1000.5, 3, "x", 1) + scalar(1000.5, 3, "y", 2));
  const auto runs = read("runs");
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].described.name, "a");
  EXPECT_EQ(runs[0].began, 1000.5);
  EXPECT_EQ(runs[0].ended, 2000.5);
  ASSERT_THAT(runs[0].points, SizeIs(2));
  EXPECT_EQ(runs[0].points[0].step, 0);
  EXPECT_EQ(runs[0].points[1].step, 1);
  EXPECT_EQ(runs[0].points[1].values.at("loss"), 0.5);
  ASSERT_THAT(runs[1].points, SizeIs(1));
  EXPECT_THAT(runs[1].points[0].values, ElementsAre(Pair("x", 1), Pair("y", 2)));
  EXPECT_THAT(read("runs/a/events.out.tfevents.1000.box"), SizeIs(1));
}

TEST_F(ForeignRunsTest, SaysWhatCanBeImported) {
  EXPECT_THAT(refusal("missing"), HasSubstr("missing"));
  write("notes.txt", "hello");
  EXPECT_THAT(refusal("notes.txt"), HasSubstr("neither .csv nor .jsonl"));
  EXPECT_THAT(refusal(""), HasSubstr("'tacho help import-export'"));
  write("damaged.wandb", "hello");
  EXPECT_THAT(refusal("damaged.wandb"), HasSubstr("damaged.wandb: not a log of W&B"));
  write("empty.csv", "");
  EXPECT_THAT(refusal("empty.csv"), HasSubstr("empty.csv: is empty"));
}

}  // namespace
}  // namespace tacho
