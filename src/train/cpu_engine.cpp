#include <chrono>

#include "train/step_engine.h"

namespace tacho {
namespace {

class CpuEngine final : public StepEngine {
 public:
  CpuEngine(const RunSpec& spec, Classifier& model, Optimizer& optimizer)
      : spec_(spec), model_(model), optimizer_(optimizer) {}

  void begin() override {
    scores_ = {};
    gathered_ = 0;
    optimizer_.drop_gradients();
    last_ = Clock::now();
  }

  void start(const Batch& batch, double learning_rate) override {
    const at::Tensor logits = model_.logits(batch);
    const at::Tensor loss = loss_of(logits, batch.labels, spec_.label_smoothing);
    if (spec_.accumulate == 1) {
      loss.backward();
    } else {
      (loss / static_cast<double>(spec_.accumulate)).backward();
    }
    if (++gathered_ == spec_.accumulate) {
      optimizer_.step(learning_rate);
      gathered_ = 0;
    }
    const double value = loss.item<float>();
    add(logits, batch, value);
    const auto now = Clock::now();
    done_ = StepDone{std::chrono::duration<double>(now - last_).count(), value};
    last_ = now;
  }
  void input_taken() override {}
  std::optional<StepDone> fetch(bool /*all*/) override {
    return std::exchange(done_, std::nullopt);
  }

  void evaluate(const Batch& batch) override {
    const at::Tensor logits = model_.logits(batch);
    add(logits, batch, loss_of(logits, batch.labels, 0).item<float>());
  }
  Scores scores() override { return scores_; }

 private:
  using Clock = std::chrono::steady_clock;

  void add(const at::Tensor& logits, const Batch& batch, double loss) {
    scores_.loss_sum += loss * static_cast<double>(batch.size());
    scores_.hits += count_hits(logits, batch.labels);
  }

  const RunSpec& spec_;
  Classifier& model_;
  Optimizer& optimizer_;
  Scores scores_;
  std::int64_t gathered_ = 0;  // batches whose gradients wait for the others
  std::optional<StepDone> done_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

at::Tensor loss_of(const at::Tensor& logits, const at::Tensor& labels, double label_smoothing) {
  return at::cross_entropy_loss(logits.to(at::kFloat), labels, {}, at::Reduction::Mean, -100,
                                label_smoothing);
}

std::unique_ptr<StepEngine> make_cpu_engine(const RunSpec& spec, Classifier& model,
                                            Optimizer& optimizer) {
  return std::make_unique<CpuEngine>(spec, model, optimizer);
}

}  // namespace tacho
