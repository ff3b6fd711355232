// Runs one of Tacho's models on weights and inputs from files and writes everything that another
// implementation can be compared with (tests/gpu/compare_models.py):
//   model_probe MODEL WEIGHTS INPUTS OUT [cpu|cuda|cuda-channels-last]
// INPUTS holds "inputs", "labels" and, for text, "lengths"; its metadata has classes, vocabulary,
// layers (of language models; 0: the default), lora (the adapters' rank; 0: none, then WEIGHTS has
// no adapters), steps, sgd_rate and adamw_rate. OUT gets "logits", "loss", "gradient.NAME" for
// every trained weight, the losses of `steps` steps of each optimizer, "losses.sgd" and
// "losses.adamw", and with adapters "merged", the logits with merged weights. Runs without dropout,
// in true fp32, with batch statistics in batch norms.
#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "training/train/adapters.h"
#include "training/train/device_setup.h"
#include "training/train/models/registry.h"
#include "training/train/models/without_dropout.h"
#include "training/train/optimizer.h"
#include "training/train/safetensors.h"
#include "training/train/weights.h"

namespace tacho {
namespace {

struct Probe {
  std::string model;
  std::filesystem::path weights;
  TensorFile inputs;
  at::DeviceType device = at::kCPU;
  bool channels_last = false;
};

Result<double> number(const TensorFile& file, const std::string& key) {
  const auto at = file.metadata.find(key);
  double value = 0;
  if (at == file.metadata.end()) {
    return Error{ErrorCode::invalid, "the inputs' metadata lacks '" + key + "'"};
  }
  const char* end = at->second.data() + at->second.size();
  if (std::from_chars(at->second.data(), end, value).ptr != end) {
    return Error{ErrorCode::invalid, "'" + key + "' is not a number"};
  }
  return value;
}

Result<Batch> batch_of(const Probe& probe) {
  Batch batch;
  for (const auto& [name, into] : {std::pair{"inputs", &batch.inputs},
                                   {"labels", &batch.labels},
                                   {"lengths", &batch.lengths}}) {
    if (const at::Tensor* found = probe.inputs.find(name)) *into = found->to(probe.device);
  }
  if (batch.inputs.defined() && probe.channels_last && batch.inputs.dim() == 4) {
    batch.inputs = batch.inputs.contiguous(at::MemoryFormat::ChannelsLast);
  }
  if (batch.inputs.defined() && batch.labels.defined()) return batch;
  return Error{ErrorCode::invalid, "the inputs lack 'inputs' or 'labels'"};
}

Result<std::shared_ptr<Classifier>> fresh_model(const Probe& probe, const Batch& batch) {
  TACHO_TRY(classes, number(probe.inputs, "classes"));
  TACHO_TRY(info, find_model(probe.model));
  InputShape shape = default_shape(*info);
  shape.classes = static_cast<std::int64_t>(classes);
  if (batch.inputs.dim() == 4) {
    shape.channels = batch.inputs.size(1);
    shape.height = batch.inputs.size(2);
    shape.width = batch.inputs.size(3);
  } else {
    TACHO_TRY(vocabulary, number(probe.inputs, "vocabulary"));
    TACHO_TRY(layers, number(probe.inputs, "layers"));
    shape.vocabulary = static_cast<std::int64_t>(vocabulary);
    if (layers > 0) shape.decoder.layers = static_cast<std::int64_t>(layers);
  }
  TACHO_TRY(model, make_model(probe.model, shape));
  TACHO_TRY(rank, number(probe.inputs, "lora"));
  if (rank > 0) {
    RunSpec spec;
    spec.lora_rank = static_cast<std::int64_t>(rank);
    TACHO_CHECK(add_adapters(*model, spec));
  }
  TACHO_CHECK(load_weights(*model, probe.weights));
  model->to(probe.device);
  if (probe.channels_last) to_channels_last(*model);
  train_without_dropout(*model);
  return model;
}

Result<at::Tensor> losses_of(const Probe& probe, const Batch& batch, OptimizerSpec spec,
                             const std::string& rate) {
  TACHO_TRY(steps, number(probe.inputs, "steps"));
  TACHO_TRY(learning_rate, number(probe.inputs, rate));
  spec.learning_rate = learning_rate;
  TACHO_TRY(model, fresh_model(probe, batch));
  Optimizer optimizer(spec, *model);
  std::vector<double> losses;
  for (int step = 0; step < static_cast<int>(steps); ++step) {
    const at::Tensor loss = at::cross_entropy_loss(model->logits(batch), batch.labels);
    loss.backward();
    optimizer.step(learning_rate);
    losses.push_back(loss.item<float>());
  }
  return at::tensor(losses, at::kDouble);
}

Result<TensorFile> run(const Probe& probe) {
  TACHO_TRY(batch, batch_of(probe));
  TACHO_TRY(model, fresh_model(probe, batch));
  const at::Tensor logits = model->logits(batch);
  const at::Tensor loss = at::cross_entropy_loss(logits, batch.labels);
  loss.backward();
  TensorFile out;
  out.tensors = {{"logits", logits}, {"loss", loss}};
  for (const auto& item : model->named_parameters()) {
    if (item.value().grad().defined()) {
      out.tensors.emplace_back("gradient." + item.key(), item.value().grad().contiguous());
    }
  }
  TACHO_TRY(rank, number(probe.inputs, "lora"));
  if (rank > 0) {
    merge_adapters(*model);
    out.tensors.emplace_back("merged", model->logits(batch));
  }
  TACHO_TRY(sgd, losses_of(probe, batch,
                           {.kind = OptimizerKind::sgd, .momentum = 0.9, .weight_decay = 1e-4},
                           "sgd_rate"));
  TACHO_TRY(adamw, losses_of(probe, batch, {.kind = OptimizerKind::adamw, .weight_decay = 1e-2},
                             "adamw_rate"));
  out.tensors.emplace_back("losses.sgd", sgd);
  out.tensors.emplace_back("losses.adamw", adamw);
  return out;
}

Result<void> probe_model(int argc, char** argv) {
  if (argc < 5 || argc > 6) {
    return Error{ErrorCode::usage,
                 "usage: model_probe MODEL WEIGHTS INPUTS OUT [cpu|cuda|cuda-channels-last]"};
  }
  TACHO_TRY(inputs, read_safetensors(argv[3]));
  const std::string_view device = argc == 6 ? argv[5] : "cpu";
  const Probe probe{argv[1], argv[2], std::move(inputs), device == "cpu" ? at::kCPU : at::kCUDA,
                    device == "cuda-channels-last"};
  // Tensor cores round fp32 to 10 bits of mantissa by default.
  at::globalContext().setAllowTF32CuDNN(false);
  at::globalContext().setAllowTF32CuBLAS(false);
  TACHO_TRY(out, run(probe));
  return write_safetensors(argv[4], out);
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  try {
    const auto done = tacho::probe_model(argc, argv);
    if (done.ok()) return 0;
    fmt::print(stderr, "model_probe: {}\n", done.error().message);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "model_probe: {}\n", problem.what());
  }
  return 2;
}
