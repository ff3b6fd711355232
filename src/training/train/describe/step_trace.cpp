#include "training/train/describe/step_trace.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "training/train/models/layers.h"

namespace tacho {

std::int64_t TracedTensor::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

namespace {

template <class Values, class Visit>
void each_tensor(const Values& values, const Visit& visit) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) visit(value.toTensor());
    if (!value.isTensorList()) continue;
    for (const at::Tensor& tensor : value.toTensorVector()) visit(tensor);
  }
}

// Observes torch's dispatcher and allocator on this thread; backward on the CPU runs on the calling
// thread. Torch passes no state to its callbacks, but it stores this object per thread, where they
// find it.
class Listener final : public torch_api::MemoryListener {
 public:
  void took(void* address, std::int64_t bytes) override {
    TracedBlock block;
    block.bytes = bytes;
    block.taken = ++tick_;
    block.freed = std::numeric_limits<std::int64_t>::max();
    block.op = op_;
    block.in_backward = in_backward_;
    held_[address] = trace_.blocks.size();
    trace_.blocks.push_back(block);
  }

  void freed(void* address) override {
    const auto at = held_.find(address);
    if (at == held_.end()) return;
    trace_.blocks[at->second].freed = ++tick_;
    held_.erase(at);
  }

  void begin(const at::RecordFunction& function) {
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
      op_ = forward_op(function.seqNr());
      return;
    }
    if (depth_++ > 0 || in_backward_) return;
    op_ = trace_.ops.size();
    first_nodes_.push_back(static_cast<std::int64_t>(at::sequence_number::peek()));
    TracedOp op;
    op.name = function.name();
    op.kind = op_kind(op.name);
    each_tensor(function.inputs(), [&](const at::Tensor& t) { add_tensor(t, op.inputs); });
    trace_.ops.push_back(std::move(op));
  }

  void end(const at::RecordFunction& function) {
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
      trace_.moments.push_back({++tick_, op_, true});
      return;
    }
    --depth_;
    const bool is_whole = depth_ == 0 && !in_backward_;
    each_tensor(function.outputs(), [&](const at::Tensor& tensor) {
      if (!tensor.defined() || !tensor.has_storage()) return;
      if (is_whole) add_tensor(tensor, trace_.ops[op_].outputs);
      const auto block = block_of(tensor);
      if (!block) return;
      trace_.blocks[*block].is_float = tensor.is_floating_point();
      if (is_whole) trace_.blocks[*block].is_result = true;
    });
    if (is_whole) trace_.moments.push_back({++tick_, op_, false});
  }

  void turn_back() {
    trace_.forward_end = ++tick_;
    in_backward_ = true;
  }

  void mark_gradients(const torch::nn::Module& model) {
    for (const at::Tensor& parameter : model.parameters()) {
      if (!parameter.grad().defined()) continue;
      if (const auto block = block_of(parameter.grad())) trace_.blocks[*block].is_gradient = true;
    }
  }

  StepTrace take() { return std::move(trace_); }

 private:
  [[nodiscard]] std::optional<std::size_t> block_of(const at::Tensor& tensor) const {
    if (!tensor.has_storage()) return std::nullopt;
    const auto at = held_.find(tensor.storage().data_ptr().get());
    return at == held_.end() ? std::nullopt : std::optional(at->second);
  }

  void add_tensor(const at::Tensor& tensor, std::vector<TracedTensor>& out) const {
    if (!tensor.defined()) return;
    out.push_back({tensor.unsafeGetTensorImpl(), block_of(tensor), tensor.sizes().vec(),
                   static_cast<std::int64_t>(tensor.nbytes()), tensor.is_floating_point(),
                   tensor.requires_grad()});
  }

  // Every operation recorded by autograd takes numbers for its nodes; in backward a node reports
  // its number. The nodes that accumulate a weight's gradient have none (-1) and belong to the
  // previous operation.
  [[nodiscard]] std::size_t forward_op(std::int64_t node) const {
    if (node < 0 || first_nodes_.empty()) return op_;
    const auto after = std::upper_bound(first_nodes_.begin(), first_nodes_.end(), node);
    return after == first_nodes_.begin()
               ? 0
               : static_cast<std::size_t>(after - first_nodes_.begin()) - 1;
  }

  StepTrace trace_;
  std::map<void*, std::size_t> held_;  // addresses in use
  std::vector<std::int64_t> first_nodes_;
  std::int64_t tick_ = 0;
  std::size_t op_ = 0;
  int depth_ = 0;
  bool in_backward_ = false;
};

Listener& listener() { return static_cast<Listener&>(torch_api::current_memory_listener()); }

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction& function) {
  listener().begin(function);
  return nullptr;
}
void on_end(const at::RecordFunction& function, at::ObserverContext* /*none*/) {
  listener().end(function);
}

class Listening {
 public:
  explicit Listening(const std::shared_ptr<Listener>& listener)
      : memory_(c10::DebugInfoKind::PROFILER_STATE, listener),
        handle_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(on_begin, on_end)
                .needsInputs(true)
                .needsOutputs(true)
                .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}))) {}
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  ~Listening() { at::removeCallback(handle_); }

 private:
  c10::DebugInfoGuard memory_;
  layers::PlainOperations plain_;
  at::CallbackHandle handle_;
};

void drop_gradients(const torch::nn::Module& model) {
  for (at::Tensor& parameter : model.parameters()) parameter.mutable_grad().reset();
}

}  // namespace

StepTrace trace_step(Classifier& model, const Batch& batch) {
  model.train();
  drop_gradients(model);
  // Shared with torch while it may call back.
  const auto listener = std::make_shared<Listener>();
  {
    const Listening listening(listener);
    const at::Tensor loss = at::cross_entropy_loss(model.logits(batch), batch.labels);
    listener->turn_back();
    loss.backward();
    listener->mark_gradients(model);
  }
  drop_gradients(model);
  return listener->take();
}

StepTrace trace_forward(Classifier& model, const Batch& batch) {
  const auto listener = std::make_shared<Listener>();
  {
    const Listening listening(listener);
    (void)model.logits(batch);
    listener->turn_back();
  }
  return listener->take();
}

}  // namespace tacho
