#pragma once

// Whole runs on small real data, for tests.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "base/scratch_folder.h"
#include "core/record/checkpoint_files.h"
#include "core/record/run_record.h"
#include "training/train/quick_paths.h"
#include "training/train/torch_api.h"
#include "training/train/trainer.h"

namespace tacho {

inline RunSpec small_spec() {
  RunSpec spec;
  spec.model = "mnist-cnn";  // has dropout, so the random state matters
  spec.data = "fashion-mnist";
  // Without Debian's package this variable names the folder.
  if (const char* folder = std::getenv("TACHO_TEST_FASHION_MNIST")) spec.data_folder = folder;
  spec.batch = 32;
  spec.epochs = 3;
  spec.train_samples = 200;
  spec.eval_samples = 50;
  spec.threads = 1;
  spec.seed = 7;
  spec.optimizer = {.learning_rate = 0.02, .momentum = 0.9};
  return spec;
}

// Replaces a worker process: events are collected in memory.
struct Session {
  explicit Session(const RunSpec& spec) : order{"test", 0, spec} {}

  Result<TrainEnd> run() {
    RunStarted started;
    started.resumed_epochs = newest_checkpoint_epoch(folder);
    events.push_back({0, started});
    const Report report = [this](const EventBody& body) -> Result<void> {
      events.push_back({0, body});
      if (std::holds_alternative<StepsDone>(body)) return {};
      if (fail_reports) return Error{ErrorCode::io, "disk full"};
      const auto* epoch = std::get_if<EpochDone>(&body);
      if (epoch != nullptr && epoch->epoch == stop_after_epoch) stop = true;
      return {};
    };
    at::set_num_threads(1);
    return train({order, folder, scratch.path(), paths, report, stop});
  }
  [[nodiscard]] RunRecord record() const { return fold(order, events); }

  ScratchFolder scratch;
  RunOrder order;
  RunFolder folder{scratch.path() / "run"};
  ComputePaths paths = quick_paths();
  std::atomic<bool> stop{false};
  std::int64_t stop_after_epoch = -1;
  bool fail_reports = false;
  std::vector<Event> events;
};

// A run stopped after its first epoch and resumed must equal an uninterrupted one.
inline void expect_resume_equals_uninterrupted(const RunSpec& spec) {
  Session whole(spec);
  ASSERT_TRUE(whole.run().ok());

  Session parts(spec);
  parts.stop_after_epoch = 1;
  const auto stopped = parts.run();
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped->outcome, Outcome::cancelled);
  parts.stop = false;
  parts.stop_after_epoch = -1;
  ASSERT_TRUE(parts.run().ok());

  EXPECT_EQ(parts.record().steps.loss, whole.record().steps.loss);
  ASSERT_EQ(parts.record().epochs.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(parts.record().epochs[i].eval_loss, whole.record().epochs[i].eval_loss);
    EXPECT_EQ(parts.record().epochs[i].train_loss, whole.record().epochs[i].train_loss);
  }
}

}  // namespace tacho
