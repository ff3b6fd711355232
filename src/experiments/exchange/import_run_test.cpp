#include "experiments/exchange/import_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/record/event_log.h"
#include "experiments/exchange/run_history.h"
#include "experiments/exchange/test_wandb.h"
#include "experiments/exchange/wandb_run.h"
#include "experiments/runner/run_state.h"

namespace tacho {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

PortableRun sample_run() {
  auto run = read_wandb_run(wandb_file(wandb_records()));
  run->source = "/data/run-3fa8c1.wandb";
  return *std::move(run);
}

class ImportRunTest : public testing::Test {
 protected:
  ImportedRun imported(const PortableRun& run) {
    auto result = import_run(run, home_.path(), store_);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return *std::move(result);
  }
  ScratchFolder home_;
  RunStore store_ = *RunStore::open(home_.path() / "tacho.db");
};

TEST_F(ImportRunTest, StoresTheRunLikeOneThatLogged) {
  const ImportedRun imported_run = imported(sample_run());
  EXPECT_EQ(imported_run.change, ImportChange::added);
  const auto stored = store_.find("last");
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->row.id, imported_run.id);
  EXPECT_EQ(stored->record.described->name, "base");
  EXPECT_EQ(stored->row.created_at, 1000.5);
  EXPECT_EQ(stored->record.outcome, Outcome::ok);
  EXPECT_EQ(stored->record.totals.wall_seconds, 2);
  EXPECT_EQ(stored->record.described->project, "digits");
  EXPECT_THAT(stored->record.notes,
              Contains("imported: W&B run 3fa8c1 of host box, /data/run-3fa8c1.wandb"));
  ASSERT_THAT(stored->record.figures, SizeIs(2));
  EXPECT_EQ(stored->record.figures[1].step, 7);
  // Reading the folder again gives the same record.
  EXPECT_EQ(json_text(to_json(*read_run(RunFolder(stored->row.folder)))),
            json_text(to_json(stored->record)));
  EXPECT_EQ(*read_file(RunFolder(stored->row.folder).output()), "step 0\n");
}

TEST_F(ImportRunTest, TheSameRunAgainChangesNothing) {
  const ImportedRun first = imported(sample_run());
  const ImportedRun second = imported(sample_run());
  EXPECT_EQ(second.change, ImportChange::unchanged);
  EXPECT_EQ(second.id, first.id);
  EXPECT_EQ(*store_.count({}), 1);
}

TEST_F(ImportRunTest, ARunThatGrewIsUpdated) {
  const ImportedRun first = imported(sample_run());
  PortableRun more = sample_run();
  more.points.push_back({8, 1003, {{"loss", 0.05}}});
  more.ended = 1003;
  const ImportedRun second = imported(more);
  EXPECT_EQ(second.change, ImportChange::updated);
  EXPECT_EQ(second.id, first.id);
  EXPECT_THAT(store_.find("last")->record.figures, SizeIs(3));
  EXPECT_EQ(*store_.count({}), 1);
}

TEST_F(ImportRunTest, ALongRunKeepsAllPointsInItsFolderAndASelectionInItsRecord) {
  PortableRun run = sample_run();
  run.points.clear();
  constexpr int kPoints = 20'000;
  for (int i = 0; i < kPoints; ++i) {
    run.points.push_back({i, 2000 + i * 0.5, {{"loss", 1.0 / (1 + i)}}});
  }
  run.ended = 2000 + kPoints * 0.5;
  imported(run);
  const auto stored = store_.find("last");
  const auto events = read_events(RunFolder(stored->row.folder).events());
  ASSERT_TRUE(events.ok());
  std::size_t figures = 0;
  for (const Event& event : *events) {
    const auto* seen = std::get_if<FiguresSeen>(&event.body);
    if (seen == nullptr) continue;
    ++figures;
    EXPECT_EQ(event.unix_seconds, 2000 + static_cast<double>(*seen->step) * 0.5);
    EXPECT_EQ(seen->values.at("loss"), 1.0 / static_cast<double>(1 + *seen->step));
  }
  EXPECT_GT(figures, 4000U);
  EXPECT_LT(figures, 12'000U);
  const auto history = portable_run(*stored);
  ASSERT_TRUE(history.ok());
  EXPECT_THAT(history->points, SizeIs(kPoints));
}

TEST_F(ImportRunTest, NamesHaveNoControlCharacters) {
  PortableRun run = sample_run();
  run.described.config = {{std::string("a\0b", 3), "1"}};
  run.points = {{1, 1001, {{"loss\n", 2}}}};
  imported(run);
  const auto stored = store_.find("last");
  EXPECT_TRUE(stored->record.described->config.contains("a_b"));
  EXPECT_TRUE(stored->record.figures.at(0).values.contains("loss_"));
}

TEST_F(ImportRunTest, RunsOfOneToolWithOtherIdsAreOtherRuns) {
  PortableRun other = sample_run();
  other.id = "other";
  EXPECT_NE(imported(sample_run()).id, imported(other).id);
}

}  // namespace
}  // namespace tacho
