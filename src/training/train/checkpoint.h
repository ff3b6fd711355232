#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "core/record/checkpoint_files.h"
#include "core/record/run_folder.h"
#include "training/train/best_epoch.h"
#include "training/train/optimizer.h"
#include "training/train/torch_api.h"

namespace tacho {

// State to resume training as if it had never stopped.
struct Progress {
  std::int64_t epochs = 0;  // finished
  std::int64_t steps = 0;
  double top1 = 0;  // of the last epoch
  BestEpoch best = {};
};

struct WrittenCheckpoint {
  std::string file;  // relative to the run's folder
  Bytes size;
};

// Saves weights, optimizer moments, fp16's loss scale and the random state after each epoch. Only
// the newest checkpoint is kept, and the best one if asked for; others are removed once the new one
// is safely on disk.
class Checkpoints {
 public:
  Checkpoints(const RunFolder& folder, torch::nn::Module& model, Optimizer& optimizer,
              at::Device device, CheckpointKind keep = CheckpointKind::last)
      : folder_(folder), model_(model), optimizer_(optimizer), device_(device), keep_(keep) {}

  // Further tensors to save and restore.
  void add(const Optimizer::Named& tensors) { others_ = tensors; }

  Result<WrittenCheckpoint> save(const Progress& progress);
  // Returns nullopt without a checkpoint: training starts from the beginning.
  Result<std::optional<Progress>> load_newest();

 private:
  const RunFolder& folder_;
  torch::nn::Module& model_;
  Optimizer& optimizer_;
  at::Device device_;
  CheckpointKind keep_;
  Optimizer::Named others_;
};

}  // namespace tacho
