#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "core/record/run_spec.h"
#include "training/train/dist/reducer.h"
#include "training/train/hits.h"
#include "training/train/models/classifier.h"
#include "training/train/optimizer.h"

namespace tacho {

// Loss and hits of a pass over data.
struct Scores {
  double loss_sum = 0;
  Hits hits;
  [[nodiscard]] double mean_loss() const {
    return hits.samples == 0 ? std::nan("") : loss_sum / static_cast<double>(hits.samples);
  }
};

struct StepDone {
  double seconds = 0;  // since the previous step was done, or since begin()
  double loss = 0;
  double weight = 1;  // of the batch
  ExchangeTimes exchange = {};
};

// Executes training steps on one device. A GPU works asynchronously: steps are started and their
// results are fetched later, in order.
class StepEngine {
 public:
  virtual ~StepEngine() = default;

  // Call before the first step of an epoch and before the first batch of an evaluation. Drops
  // accumulated gradients: a run resumed after an epoch does not have them either.
  virtual void begin() = 0;
  // Starts a step. The batch's memory is read until input_taken(). Returns an Error if gradients
  // could not be exchanged with the other ranks.
  virtual Result<void> start(const Batch& batch, double learning_rate) = 0;
  virtual void input_taken() = 0;
  // Returns the oldest unfetched step if it is done; waits for it if enough steps are in flight or
  // if `all`. Returns nullopt if there is none.
  virtual std::optional<StepDone> fetch(bool all) = 0;
  // Evaluates a batch.
  virtual void evaluate(const Batch& batch) = 0;
  // Returns the scores of all batches since begin().
  virtual Scores scores() = 0;
  // Returns how steps are executed, once, when it is known and worth reporting; else "".
  virtual std::string remark() { return {}; }
};

// The parts that an engine uses. The reducer is set if other ranks train the same model.
struct StepParts {
  const RunSpec& spec;
  Classifier& model;
  Optimizer& optimizer;
  Reducer* reducer = nullptr;
};
std::unique_ptr<StepEngine> make_cpu_engine(const StepParts& parts);
#ifdef TACHO_CUDA
std::unique_ptr<StepEngine> make_cuda_engine(const StepParts& parts);
#endif

// Returns the training loss, in fp32 for every type of logits: the mean over the labels that count.
at::Tensor loss_of(const at::Tensor& logits, const at::Tensor& labels, double label_smoothing);
// Weights a batch's loss by its share of the step that updates the weights.
at::Tensor share_of_step(const at::Tensor& loss, const Batch& batch, const RunSpec& spec);

}  // namespace tacho
