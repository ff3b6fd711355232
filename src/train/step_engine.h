#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/run_spec.h"
#include "train/dist/reducer.h"
#include "train/hits.h"
#include "train/models/classifier.h"
#include "train/optimizer.h"

namespace tacho {

// What a pass over data came to.
struct Scores {
  double loss_sum = 0;
  Hits hits;
  [[nodiscard]] double mean_loss() const {
    return hits.samples == 0 ? std::nan("") : loss_sum / static_cast<double>(hits.samples);
  }
};

struct StepDone {
  double seconds = 0;  // since the step before was done, or since begin()
  double loss = 0;
  double weight = 1;  // of the batch
  ExchangeTimes exchange = {};
};

// Makes training steps on one device. A GPU works behind its back: steps are started, and what
// came of them is fetched later, in order.
class StepEngine {
 public:
  virtual ~StepEngine() = default;

  // Before the first step of an epoch, and before the first batch of an evaluation. Gradients that
  // still wait for others are dropped: a run that goes on after an epoch does not have them.
  virtual void begin() = 0;
  // Starts a step. The batch's memory is read until input_taken().
  // An Error where gradients could not be exchanged with the other ranks.
  virtual Result<void> start(const Batch& batch, double learning_rate) = 0;
  virtual void input_taken() = 0;
  // The oldest step not yet fetched, if it is done; waits for it once enough are under way, or
  // where all are wanted. Nothing if there is none.
  virtual std::optional<StepDone> fetch(bool all) = 0;
  // A batch of an evaluation.
  virtual void evaluate(const Batch& batch) = 0;
  // Of all batches since begin().
  virtual Scores scores() = 0;
  // How steps are made, once it is known and a person should know it; "" else. Once.
  virtual std::string remark() { return {}; }
};

// What an engine works with. The reducer is there where other ranks train the same model.
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

// The loss that is trained, in fp32 whatever the logits are.
at::Tensor loss_of(const at::Tensor& logits, const at::Tensor& labels, double label_smoothing);
// What a batch's loss counts in the step that changes the weights.
at::Tensor share_of_step(const at::Tensor& loss, const Batch& batch, const RunSpec& spec);

}  // namespace tacho
