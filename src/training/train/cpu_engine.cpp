#include <algorithm>
#include <chrono>

#include "training/train/ops/step_part.h"
#include "training/train/step_engine.h"

namespace tacho {
namespace {

// Long prompts may fill a whole batch, and the mean over no label is NaN.
at::Tensor loss_of_counted(const at::Tensor& logits, const at::Tensor& labels,
                           double label_smoothing) {
  const auto* label = labels.data_ptr<std::int64_t>();
  const bool some = std::any_of(label, label + labels.numel(),
                                [](std::int64_t one) { return one != kIgnoredLabel; });
  return some ? loss_of(logits, labels, label_smoothing) : logits.sum() * 0;
}

class CpuEngine final : public StepEngine {
 public:
  explicit CpuEngine(const StepParts& parts)
      : spec_(parts.spec),
        model_(parts.model),
        optimizer_(parts.optimizer),
        reducer_(parts.reducer) {}

  void begin() override {
    scores_ = {};
    accumulated_ = 0;
    optimizer_.drop_gradients();
    last_ = Clock::now();
  }

  Result<void> start(const Batch& batch, double learning_rate) override {
    const bool updates = ++accumulated_ == spec_.accumulate;
    const bool exchanges = updates && reducer_ != nullptr;
    const auto [logits, loss] = forward(batch);
    if (exchanges) reducer_->begin();
    backward(loss, batch);
    ExchangeTimes exchange;
    if (exchanges) {
      TACHO_TRY(times, reducer_->finish());
      exchange = times;
    }
    if (updates) {
      const StepPart part(OpPhase::optimizer);
      optimizer_.step(learning_rate);
      accumulated_ = 0;
    }
    const double value = loss.item<float>();
    if (batch.weight != 0) add(logits, batch, value);
    const auto now = Clock::now();
    done_ =
        StepDone{std::chrono::duration<double>(now - last_).count(), value, batch.weight, exchange};
    last_ = now;
    return {};
  }
  void input_taken() override {}
  std::optional<StepDone> fetch(bool /*all*/) override {
    return std::exchange(done_, std::nullopt);
  }

  void evaluate(const Batch& batch) override {
    const at::Tensor logits = model_.logits(batch);
    add(logits, batch, loss_of_counted(logits, batch.labels, 0).item<float>());
  }
  Scores scores() override { return scores_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Forward {
    at::Tensor logits;
    at::Tensor loss;
  };
  Forward forward(const Batch& batch) {
    const StepPart part(OpPhase::forward);
    at::Tensor logits = model_.logits(batch);
    at::Tensor loss = loss_of_counted(logits, batch.labels, spec_.label_smoothing);
    return {std::move(logits), std::move(loss)};
  }

  void backward(const at::Tensor& loss, const Batch& batch) {
    const StepPart part(OpPhase::backward);
    share_of_step(loss, batch, spec_).backward();
  }

  void add(const at::Tensor& logits, const Batch& batch, double loss) {
    const Hits hits = count_hits(logits, batch.labels);
    scores_.loss_sum += loss * static_cast<double>(hits.samples);
    scores_.hits += hits;
  }

  const RunSpec& spec_;
  Classifier& model_;
  Optimizer& optimizer_;
  Reducer* reducer_;
  Scores scores_;
  std::int64_t accumulated_ = 0;  // batches whose gradients wait for the rest of the step
  std::optional<StepDone> done_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

at::Tensor loss_of(const at::Tensor& logits, const at::Tensor& labels, double label_smoothing) {
  return at::cross_entropy_loss(logits.to(at::kFloat), labels, {}, at::Reduction::Mean,
                                kIgnoredLabel, label_smoothing);
}

at::Tensor share_of_step(const at::Tensor& loss, const Batch& batch, const RunSpec& spec) {
  const double factor = batch.weight / static_cast<double>(spec.accumulate);
  return factor == 1 ? loss : loss * factor;
}

std::unique_ptr<StepEngine> make_cpu_engine(const StepParts& parts) {
  return std::make_unique<CpuEngine>(parts);
}

}  // namespace tacho
