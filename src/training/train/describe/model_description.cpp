#include "training/train/describe/model_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "training/train/describe/decoder_memory.h"
#include "training/train/models/registry.h"

namespace tacho {
namespace {

// At least two: a batch norm cannot normalise one sample of one pixel.
constexpr std::int64_t kFirstBatch = 2;
constexpr std::int64_t kSecondBatch = 3;

std::string parent_of(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

// Cuts the name after the first part with a number: "features.denseblock2.denselayer7.conv1"
// belongs to "features.denseblock2".
std::string group_of(const std::string& name) {
  std::size_t at = 0;
  while (at < name.size()) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const bool has_number = std::any_of(name.begin() + static_cast<std::ptrdiff_t>(at),
                                        name.begin() + static_cast<std::ptrdiff_t>(end),
                                        [](char c) { return c >= '0' && c <= '9'; });
    if (has_number) return name.substr(0, end);
    at = end + 1;
  }
  return name;
}

// "aten::relu_" becomes "relu"; the pools get torchvision's names.
std::string plain_name(const TracedOp& op) {
  if (op.kind == OpKind::loss) return "loss";
  std::string name = op.name.substr(op.name.find("::") + 2);
  if (name.ends_with('_')) name.pop_back();
  if (name == "hardtanh") return "relu6";
  if (name == "max_pool2d") return "maxpool";
  if (name == "amax") return "max";
  if (op.kind == OpKind::pool) return "avgpool";
  return op.kind == OpKind::concat ? "concat" : name;
}

// Operations after the last layer with weights, which belong to no group.
bool stands_alone(const TracedOp& op) {
  return op.kind == OpKind::loss || op.name == "aten::adaptive_avg_pool2d";
}

// Names each operation after the layer whose weights it uses.
class Namer {
 public:
  explicit Namer(const torch::nn::Module& model) {
    for (const auto& item : model.named_parameters()) {
      const at::Tensor& parameter = item.value();
      weights_[parameter.unsafeGetTensorImpl()] = {item.key(), parameter.numel()};
    }
  }

  void name(const TracedOp& op, LayerRow& row) {
    for (const TracedTensor& input : op.inputs) {
      const auto at = weights_.find(input.identity);
      if (at == weights_.end()) continue;
      const auto& [name, count] = at->second;
      row.name = parent_of(name).empty() ? name : parent_of(name);
      row.parameters += count;
    }
    if (!row.name.empty()) {
      last_ = row.name;
      row.group = group_of(row.name);
      return;
    }
    const std::string parent = stands_alone(op) ? "" : parent_of(last_);
    row.name = parent.empty() ? plain_name(op) : parent + "." + plain_name(op);
    row.group = parent.empty() ? row.name : group_of(last_);
  }

 private:
  struct Weight {
    std::string name;
    std::int64_t count = 0;
  };
  std::map<const void*, Weight> weights_;
  std::string last_;
};

std::vector<double> saved_bytes(const StepTrace& trace, Precision precision) {
  std::vector<double> saved(trace.ops.size(), 0);
  for (const TracedBlock& block : trace.blocks) {
    if (!block.held_at(trace.forward_end)) continue;
    const OpKind kind = trace.ops[block.op].kind;
    if (has_own_gpu_kernel(kind) && !block.is_result) continue;
    saved[block.op] +=
        static_cast<double>(block.bytes) * (block.is_float ? width_of(kind, precision) : 1);
  }
  for (std::size_t i = 0; i < saved.size(); ++i) {
    if (has_own_gpu_kernel(trace.ops[i].kind)) {
      saved[i] += static_cast<double>(kept_on_gpu(trace.ops[i]));
    }
  }
  return saved;
}

bool is_part_of_the_model(const TracedOp& op, double saved) {
  if (op.outputs.empty() || !op.outputs[0].is_float || !op.outputs[0].requires_grad) return false;
  return saved > 0 || (op.kind != OpKind::view && op.kind != OpKind::other);
}

// Weights are read once for every batch size: costs have a constant part, too.
void extend(double& first, double second, double slope) { first += (second - first) * slope; }

void extend_rows(std::vector<LayerRow>& rows, const std::vector<LayerRow>& second, double slope) {
  if (rows.size() != second.size()) broken_invariant("two traces of one model with different rows");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    extend(rows[i].cost.forward_multiply_adds, second[i].cost.forward_multiply_adds, slope);
    extend(rows[i].cost.backward_multiply_adds, second[i].cost.backward_multiply_adds, slope);
    extend(rows[i].cost.forward_bytes, second[i].cost.forward_bytes, slope);
    extend(rows[i].cost.backward_bytes, second[i].cost.backward_bytes, slope);
    extend(rows[i].saved_bytes, second[i].saved_bytes, slope);
  }
}

std::string name_of(std::size_t op, const StepTrace& trace, const torch::nn::Module& model) {
  Namer namer(model);
  LayerRow row;
  for (std::size_t i = 0; i <= op; ++i) {
    row = {};
    namer.name(trace.ops[i], row);
  }
  return row.name;
}

}  // namespace

Batch sample_batch(const SampleShape& sample, InputKind input, std::int64_t samples) {
  Batch batch;
  const std::int64_t labels = input == InputKind::documents ? samples * sample.length : samples;
  batch.labels = at::arange(labels, at::kLong).remainder(sample.classes);
  if (input == InputKind::image) {
    batch.inputs = at::rand({samples, sample.channels, sample.height, sample.width});
  } else {
    batch.inputs = at::randint(sample.vocabulary, {samples, sample.length}, at::kLong);
    if (input == InputKind::text) batch.lengths = at::full({samples}, sample.length, at::kLong);
  }
  return batch;
}

std::vector<LayerRow> layer_rows(const StepTrace& trace, const torch::nn::Module& model,
                                 std::int64_t samples, Precision precision) {
  const auto saved = saved_bytes(trace, precision);
  Namer namer(model);
  std::int64_t looked_at = 0;
  std::vector<LayerRow> rows;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const TracedOp& op = trace.ops[i];
    LayerRow row;
    namer.name(op, row);
    row.parameters += looked_at;  // weights seen through a view, counted for the next operation
    looked_at = 0;
    if (!is_part_of_the_model(op, saved[i])) {
      looked_at = row.parameters;
      continue;
    }
    row.kind = op.kind;
    row.output = op.outputs[0].shape;
    const auto samples_at = std::find(row.output.begin(), row.output.end(), samples);
    if (samples_at != row.output.end()) {
      row.output.erase(samples_at);
    } else if (!row.output.empty() && row.output[0] % samples == 0) {
      row.output[0] /= samples;  // rows of a language model: tokens of all samples
    }
    row.cost = cost_of(op, precision);
    row.saved_bytes = saved[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<ModelDescription> describe_model(const DescribeRequest& request) try {
  TACHO_CHECK(check(request));
  TACHO_TRY(info, find_model(request.model));
  const SampleShape& s = request.sample;
  TACHO_TRY(model, make_model(request.model, {.channels = s.channels,
                                              .height = s.height,
                                              .width = s.width,
                                              .vocabulary = s.vocabulary,
                                              .classes = s.classes,
                                              .length = s.length,
                                              .decoder = info->decoder}));
  const Batch first = sample_batch(s, info->input, kFirstBatch);
  const Batch second = sample_batch(s, info->input, kSecondBatch);
  const TwoTraces traces{trace_step(*model, first), trace_step(*model, second), kFirstBatch,
                         kSecondBatch};
  TACHO_TRY(memory, predict_memory(traces, *model, first, request.batch, request.precision,
                                   request.optimizer));
  if (info->input == InputKind::documents) {
    memory = with_decoder_step(memory, {.shape = info->decoder,
                                        .learned_positions = info->name.starts_with("gpt2"),
                                        .tokens = request.batch * s.length,
                                        .vocabulary = s.vocabulary,
                                        .precision = request.precision});
    // The loss, or the embedding, whose gradient is the last.
    memory.peak_op = memory.at_peak.gradients > 0 ? 0 : traces.first.ops.size() - 1;
  }
  ModelDescription description;
  description.parameters = parameter_count(*model);
  description.memory = memory;
  description.peak_phase = memory.peak_in_backward ? "backward pass" : "forward pass";
  description.peak_at = name_of(memory.peak_op, traces.first, *model);
  description.layers = layer_rows(traces.first, *model, kFirstBatch, request.precision);
  extend_rows(description.layers,
              layer_rows(traces.second, *model, kSecondBatch, request.precision),
              static_cast<double>(request.batch - kFirstBatch) / (kSecondBatch - kFirstBatch));
  for (const LayerRow& row : description.layers) {
    description.total.forward_multiply_adds += row.cost.forward_multiply_adds;
    description.total.backward_multiply_adds += row.cost.backward_multiply_adds;
    description.total.forward_bytes += row.cost.forward_bytes;
    description.total.backward_bytes += row.cost.backward_bytes;
  }
  return description;
} catch (const c10::Error& problem) {
  const std::string what = problem.what_without_backtrace();
  return Error{ErrorCode::invalid, request.model + ": " + what.substr(0, what.find('\n'))};
}

}  // namespace tacho
