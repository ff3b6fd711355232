#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "core/record/run_spec.h"
#include "training/train/input/batch_plan.h"
#include "training/train/models/classifier.h"
#include "training/train/serving/input_facts.h"

namespace tacho {

// Provides one part of a dataset in batches, or this rank's share of each, in an order that depends
// only on the seed and the epoch. The tensors of a batch are valid until the next call.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  [[nodiscard]] virtual std::int64_t samples() const = 0;
  [[nodiscard]] std::int64_t batches() const { return (samples() + batch() - 1) / batch(); }
  [[nodiscard]] virtual std::int64_t batch() const = 0;  // of all ranks together

  virtual void begin_epoch(std::int64_t epoch) = 0;
  // Returns false after the epoch's last batch, which may be smaller than the others.
  virtual Result<bool> next(Batch& batch) = 0;
  // Returns messages for the user since the last call, such as skipped samples.
  [[nodiscard]] virtual std::vector<std::string> take_notes() { return {}; }
};

struct InputParts {
  std::unique_ptr<BatchSource> train;
  std::unique_ptr<BatchSource> eval;
  InputShape shape;
  InputFacts facts;
};

// Loads the spec's dataset and checks that it fits the model. A learned vocabulary is stored in the
// run's folder and reused by a resumed run; rank 0 also stores there what else is needed to use the
// model later. The spec's batch is per rank; with replicated data each rank trains on all of it, in
// a different order.
Result<InputParts> open_input(const RunSpec& spec, const std::filesystem::path& tacho_home,
                              const RunFolder& run, const Share& share = {});

}  // namespace tacho
