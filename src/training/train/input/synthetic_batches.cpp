#include "training/train/input/synthetic_batches.h"

#include <algorithm>

#include "core/record/model_catalog.h"
#include "training/train/device_setup.h"

namespace tacho {
namespace {

// Default length of an epoch.
constexpr std::int64_t kBatchesAnEpoch = 100;

SampleShape sample_of(const RunSpec& spec, const ModelInfo& model) {
  SampleShape sample = model.sample;
  if (spec.input) {
    sample.channels = spec.input->channels;
    sample.height = spec.input->height;
    sample.width = spec.input->width;
  }
  sample.length = spec.length.value_or(sample.length);
  sample.classes = spec.classes.value_or(sample.classes);
  return sample;
}

Batch draw(const RunSpec& spec, const ModelInfo& model, const SampleShape& sample) {
  const auto device =
      at::TensorOptions().device(spec.device == Device::cuda ? at::kCUDA : at::kCPU);
  Batch batch;
  const std::int64_t labels =
      model.input == InputKind::documents ? spec.batch * sample.length : spec.batch;
  batch.labels = at::randint(sample.classes, {labels}, device.dtype(at::kLong));
  if (model.input != InputKind::image) {
    batch.inputs =
        at::randint(sample.vocabulary, {spec.batch, sample.length}, device.dtype(at::kLong));
    return batch;
  }
  batch.inputs = image_layout(
      spec, at::randn({spec.batch, sample.channels, sample.height, sample.width}, device));
  return batch;
}

at::Tensor first_of(const at::Tensor& tensor, std::int64_t count) {
  return tensor.defined() ? tensor.narrow(0, 0, count) : tensor;
}

}  // namespace

Result<bool> SyntheticBatches::next(Batch& batch) {
  const std::int64_t of_all = std::min(this->batch(), samples_ - given_);
  if (of_all <= 0) return false;
  given_ += of_all;
  batch = whole_;
  const std::int64_t mine =
      of_all * (share_.rank + 1) / share_.size - of_all * share_.rank / share_.size;
  batch.weight = static_cast<double>(mine * share_.size) / static_cast<double>(of_all);
  const std::int64_t count = std::max<std::int64_t>(mine, 1);
  if (count < whole_.size()) {
    batch.inputs = first_of(whole_.inputs, count);
    batch.labels = first_of(whole_.labels, count * whole_.labels.size(0) / whole_.size());
    batch.lengths = first_of(whole_.lengths, count);
  }
  return true;
}

Result<InputParts> open_synthetic(const RunSpec& spec, const Share& share) {
  TACHO_TRY(model, find_model(spec.model));
  const SampleShape sample = sample_of(spec, *model);
  torch::manual_seed(static_cast<std::uint64_t>(spec.seed + (share.rank << 32U)));
  InputParts parts;
  parts.shape = {.channels = sample.channels,
                 .height = sample.height,
                 .width = sample.width,
                 .vocabulary = sample.vocabulary,
                 .classes = sample.classes,
                 .length = sample.length,
                 .decoder = decoder_shape(*model, spec)};
  const Batch batch = draw(spec, *model, sample);
  const Share training = spec.dist.replicate_data ? Share{} : share;
  parts.train = std::make_unique<SyntheticBatches>(
      batch, spec.train_samples.value_or(kBatchesAnEpoch * spec.batch * training.size), training);
  parts.eval = std::make_unique<SyntheticBatches>(
      batch, spec.eval_samples.value_or(spec.batch * share.size), share);
  return parts;
}

}  // namespace tacho
