#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <fmt/format.h>

#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "training/kernels/kernels.h"
#include "training/train/cuda/data_type.h"
#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/kernel_choice.h"
#include "training/train/cuda/one_thread.h"
#include "training/train/cuda/step_graph.h"
#include "training/train/device_setup.h"
#include "training/train/guarded.h"
#include "training/train/models/decoder.h"
#include "training/train/models/faster_layer.h"
#include "training/train/ops/step_part.h"
#include "training/train/step_engine.h"

namespace tacho {
namespace {

// Steps that may be in flight before the host waits: enough that the GPU never does.
constexpr std::size_t kAhead = 4;
// Steps of one shape executed without a graph before it is captured: by then cuDNN has tried its
// kernels and the allocator has its blocks.
constexpr std::int64_t kEagerSteps = 3;
// Long prompts may fill a whole batch, and the mean over no label is NaN.
at::Tensor loss_of_counted(const at::Tensor& logits, const at::Tensor& labels, double smoothing) {
  const at::Tensor sum = at::cross_entropy_loss(logits.to(at::kFloat), labels, {},
                                                at::Reduction::Sum, kIgnoredLabel, smoothing);
  return sum / labels.ne(kIgnoredLabel).sum().clamp_min(1);
}

// Shapes that get a graph; text has many lengths, and a graph takes memory.
constexpr std::size_t kMostGraphs = 64;

class CudaEngine final : public StepEngine {
 public:
  explicit CudaEngine(const StepParts& parts)
      : spec_(parts.spec),
        model_(parts.model),
        decoder_(dynamic_cast<Decoder*>(&parts.model)),
        optimizer_(parts.optimizer),
        reducer_(parts.reducer),
        copies_(at::cuda::getStreamFromPool()),
        totals_(at::zeros({4}, at::TensorOptions().device(at::kCUDA).dtype(at::kDouble))),
        last_loss_(at::zeros({1}, at::TensorOptions().device(at::kCUDA).dtype(at::kFloat))),
        pool_(at::cuda::graph_pool_handle()) {
    kernel_choice::set(spec_.stock ? KernelKind::torch : spec_.kernels);
    const auto pinned = at::TensorOptions().dtype(at::kFloat).pinned_memory(true);
    for (std::size_t i = 0; i <= kAhead; ++i) losses_.push_back(at::zeros({1}, pinned));
  }

  void begin() override {
    totals_.zero_();
    labels_ = 0;
    accumulated_ = 0;
    optimizer_.drop_gradients();
    last_end_ = std::make_shared<at::cuda::CUDAEvent>(cudaEventDefault);
    last_end_->record();
  }

  Result<void> start(const Batch& given, double learning_rate) override {
    if (++started_ == 2) forget_trials();
    const Batch batch = to_device(given);
    const bool updates = ++accumulated_ == spec_.accumulate;
    if (updates) {
      accumulated_ = 0;
      optimizer_.begin_step(learning_rate);
    }
    if (StepGraph* graph = graph_for(batch)) {
      graph->replay(batch);
    } else {
      make_step(batch, updates);
    }
    if (exchange_error_) return *exchange_error_;
    if (batch.weight != 0) labels_ += batch.labels.size(0);
    end_step(batch.weight);
    return {};
  }

  void input_taken() override {
    if (copied_) copied_->synchronize();
  }

  std::optional<StepDone> fetch(bool all) override {
    if (in_flight_.empty()) return std::nullopt;
    InFlight& oldest = in_flight_.front();
    if (!all && in_flight_.size() < kAhead && !oldest.end->query()) return std::nullopt;
    oldest.end->synchronize();
    const StepDone done{oldest.begin->elapsed_time(*oldest.end) * 1e-3,
                        static_cast<double>(*oldest.loss.data_ptr<float>()), oldest.weight,
                        exchange_};
    losses_.push_back(oldest.loss);
    in_flight_.pop_front();
    return done;
  }

  void evaluate(const Batch& given) override {
    const Batch batch = to_device(given);
    const auto loss_from = [&](const at::Tensor& logits) {
      return plain_loss(logits, batch.labels, 0);
    };
    add_scores(forward(batch, 0, loss_from), batch);
    labels_ += batch.labels.size(0);
  }

  Scores scores() override {
    const at::Tensor totals = totals_.cpu();
    const double* total = totals.data_ptr<double>();
    const auto counted = static_cast<std::int64_t>(total[3]);
    return {total[0],
            {.top1 = static_cast<std::int64_t>(total[1]),
             .top5 = static_cast<std::int64_t>(total[2]),
             .samples = counted,
             .ignored = labels_ - counted}};
  }

  std::string remark() override { return std::exchange(remark_, {}); }

 private:
  struct InFlight {
    std::shared_ptr<at::cuda::CUDAEvent> begin;  // the end of the previous step
    std::shared_ptr<at::cuda::CUDAEvent> end;
    at::Tensor loss;  // pinned
    double weight;
  };

  // In the first step cuDNN tries every algorithm, with workspaces that no later step needs: resets
  // the peak, so that a run reports that of its steps.
  static void forget_trials() {
    c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device());
  }

  // Copies run on a separate stream, in parallel with the previous step.
  Batch to_device(const Batch& batch) {
    if (batch.inputs.is_cuda()) return batch;
    const auto compute = at::cuda::getCurrentCUDAStream();
    Batch on_device;
    {
      const c10::cuda::CUDAStreamGuard guard(copies_);
      on_device = {batch.inputs.to(at::kCUDA, true), batch.labels.to(at::kCUDA, true),
                   batch.lengths.defined() ? batch.lengths.to(at::kCUDA, true) : at::Tensor(),
                   batch.weight};
      copied_.emplace();
      copied_->record();
    }
    copied_->block(compute);
    for (const at::Tensor* tensor : {&on_device.inputs, &on_device.labels, &on_device.lengths}) {
      if (tensor->defined()) tensor->record_stream(compute);
    }
    if (on_device.inputs.is_floating_point()) {
      on_device.inputs = image_layout(spec_, on_device.inputs);
    }
    return on_device;
  }

  void make_step(const Batch& batch, bool updates) {
    const Forward done = forward_in_training(batch);
    const bool exchanges = updates && reducer_ != nullptr;
    if (exchanges) reducer_->begin();
    backward(done.loss, batch);
    if (exchanges) {
      const auto times = reducer_->finish();
      if (!times.ok()) {
        exchange_error_ = times.error();
        return;
      }
      exchange_ = *times;
    }
    const at::Tensor before = batch.weight == 0 ? totals_.clone() : at::Tensor();
    add_scores(done, batch);
    if (before.defined()) totals_.copy_(before);  // a sample that only fills an empty share
    if (!updates) return;
    const StepPart part(OpPhase::optimizer);
    optimizer_.apply_gradients();
  }

  struct Forward {
    at::Tensor loss;
    at::Tensor logits;  // or, of a language model:
    at::Tensor ahead;   // how many classes have a better score than each label
  };
  Forward forward_in_training(const Batch& batch) {
    const StepPart part(OpPhase::forward);
    const double smoothing = spec_.label_smoothing;
    return forward(batch, smoothing, [&](const at::Tensor& logits) {
      return layers::faster_of(
          {.name = "cross entropy",
           .ours =
               [&](const Tensors& in) {
                 return fused::cross_entropy(in[0], batch.labels, smoothing);
               },
           .theirs = [&](const Tensors& in) { return plain_loss(in[0], batch.labels, smoothing); }},
          {logits});
    });
  }

  // With torch's operations.
  at::Tensor plain_loss(const at::Tensor& logits, const at::Tensor& labels, double smoothing) {
    return decoder_ != nullptr ? loss_of_counted(logits, labels, smoothing)
                               : loss_of(logits, labels, smoothing);
  }

  template <class Loss>
  Forward forward(const Batch& batch, double smoothing, const Loss& loss_from) {
    if (decoder_ != nullptr && !kernel_choice::torch_only()) {
      auto [loss, ahead] = fused::token_loss(decoder_->last_states(batch), decoder_->head(),
                                             batch.labels, smoothing);
      return {std::move(loss), {}, std::move(ahead)};
    }
    const at::Tensor logits = model_.logits(batch);
    return {loss_from(logits), logits, {}};
  }

  void backward(const at::Tensor& loss, const Batch& batch) {
    const StepPart part(OpPhase::backward);
    std::optional<OneThread> one;
    if (!spec_.stock && graphs_off()) one.emplace();
    share_of_step(optimizer_.scaled(loss), batch, spec_).backward();
  }

  void add_scores(const Forward& done, const Batch& batch) {
    const float* loss = done.loss.data_ptr<float>();
    auto* totals = totals_.data_ptr<double>();
    auto* last = last_loss_.data_ptr<float>();
    const auto stream = at::cuda::getCurrentCUDAStream().stream();
    if (done.ahead.defined()) {
      kernels::add_hits(done.ahead.data_ptr<std::int32_t>(), done.ahead.numel(), loss, totals, last,
                        stream);
      return;
    }
    const at::Tensor rows = done.logits.detach().contiguous();
    kernels::score(rows.data_ptr(), data_type(rows), batch.labels.data_ptr<std::int64_t>(),
                   rows.size(0), rows.size(1), loss, totals, last, stream);
  }

  void end_step(double weight) {
    at::Tensor loss = losses_.back();
    losses_.pop_back();
    loss.copy_(last_loss_, true);
    auto end = std::make_shared<at::cuda::CUDAEvent>(cudaEventDefault);
    end->record();
    in_flight_.push_back({last_end_, end, std::move(loss), weight});
    last_end_ = std::move(end);
  }

  // Returns the graph of this shape, captured once the shape has occurred often enough; or nullptr.
  StepGraph* graph_for(const Batch& batch) {
    if (graphs_off() || batch.weight != 1) return nullptr;
    for (const auto& graph : graphs_) {
      if (graph->fits(batch)) return graph.get();
    }
    if (graphs_.size() >= kMostGraphs) return nullptr;
    if (++seen_[batch.inputs.sizes().vec()] <= kEagerSteps) return nullptr;
    // The graph's memory is a separate pool, so the memory of eager steps is released first.
    if (graphs_.empty()) c10::cuda::CUDACachingAllocator::emptyCache();
    try {
      graphs_.push_back(std::make_unique<StepGraph>(
          batch, pool_, [this](const Batch& placed) { make_step(placed, true); }));
    } catch (const std::exception& problem) {
      if (error_of(problem).code == ErrorCode::out_of_memory) throw;
      go_without_graphs(problem);
      return nullptr;
    }
    if (graphs_.size() == 1) {
      remark_ = "steps run as a CUDA graph";
      if (const std::string kernels = kernel_choice::summary(); !kernels.empty()) {
        remark_ += "; " + kernels;
      }
    }
    return graphs_.back().get();
  }

  // A step that could not be captured was not executed: its kernels were only recorded, so it can
  // still run without a graph.
  void go_without_graphs(const std::exception& problem) {
    const std::string reason = "the step could not be captured: " + first_line(problem);
    const bool usable = at::cuda::currentStreamCaptureStatus() == at::cuda::CaptureStatus::None;
    TORCH_CHECK(spec_.graphs != Switch::on && usable, reason, "; use --graphs off");
    optimizer_.drop_gradients();
    at::cuda::getCurrentCUDAStream().synchronize();  // replays in flight still need their graphs
    graphs_.clear();
    without_graphs_ = true;
    remark_ = "no CUDA graph: " + reason;
  }

  bool graphs_off() {
    if (spec_.graphs == Switch::off || without_graphs_) return true;
    if (spec_.accumulate == 1) return false;
    without_graphs_ = true;
    remark_ = "no CUDA graph: gradients are accumulated over several batches";
    return true;
  }

  const RunSpec& spec_;
  Classifier& model_;
  Decoder* decoder_;  // the model, if it is a language model
  Optimizer& optimizer_;
  Reducer* reducer_;
  at::cuda::CUDAStream copies_;
  std::optional<at::cuda::CUDAEvent> copied_;
  at::Tensor totals_;  // loss × samples, top-1, top-5, samples
  at::Tensor last_loss_;
  at::cuda::MempoolId_t pool_;
  std::vector<std::unique_ptr<StepGraph>> graphs_;
  std::map<std::vector<std::int64_t>, std::int64_t> seen_;
  std::vector<at::Tensor> losses_;  // unused pinned memory
  std::deque<InFlight> in_flight_;
  std::shared_ptr<at::cuda::CUDAEvent> last_end_;  // shared by the previous step and the next
  std::int64_t labels_ = 0;
  std::int64_t started_ = 0;
  std::int64_t accumulated_ = 0;
  bool without_graphs_ = false;  // and the remark has been made
  std::string remark_;
  ExchangeTimes exchange_;  // per step: the bytes are the same in all
  std::optional<Error> exchange_error_;
};

}  // namespace

std::unique_ptr<StepEngine> make_cuda_engine(const StepParts& parts) {
  return std::make_unique<CudaEngine>(parts);
}

}  // namespace tacho
