#include "train/input/memory_images.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/vector_widths.h"

namespace tacho {
namespace {

TACHO_EVERY_VECTOR_WIDTH
void scale_bytes(const std::uint8_t* __restrict bytes, float* __restrict out, std::int64_t count,
                 float scale, float offset) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(bytes[i]) * scale + offset;
}

}  // namespace

MemoryImages::MemoryImages(ImageSet images, std::int64_t batch, SampleOrder order,
                           std::int64_t seed, Normalisation normalisation)
    : images_(std::move(images)),
      batch_(batch),
      order_(order),
      seed_(seed),
      scale_(static_cast<float>(1 / (255 * normalisation.deviation))),
      offset_(static_cast<float>(-normalisation.mean / normalisation.deviation)) {}

BatchPlan MemoryImages::plan(std::int64_t epoch) const {
  if (order_ == SampleOrder::given) return BatchPlan::in_order(images_.count, batch_);
  Random random(static_cast<std::uint64_t>(seed_), static_cast<std::uint64_t>(epoch));
  return BatchPlan::shuffled(images_.count, batch_, random);
}

void MemoryImages::lay_out(Chosen chosen, Batch& batch) const {
  const auto count = static_cast<std::int64_t>(chosen.size());
  if (batch.labels.defined() && batch.size() == count) return;
  batch.inputs = at::empty({count, images_.channels, images_.height, images_.width}, at::kFloat);
  batch.labels = at::empty({count}, at::kLong);
}

Result<void> MemoryImages::fill(Chosen chosen, std::int64_t /*epoch*/, std::int64_t from,
                                std::int64_t to, Batch& batch) const {
  const std::int64_t size = images_.channels * images_.height * images_.width;
  float* out = batch.inputs.data_ptr<float>();
  auto* labels = batch.labels.data_ptr<std::int64_t>();
  for (std::int64_t row = from; row < to; ++row) {
    const auto image = static_cast<std::size_t>(chosen[static_cast<std::size_t>(row)]);
    const std::uint8_t* pixels = images_.pixels.data() + image * static_cast<std::size_t>(size);
    scale_bytes(pixels, out + row * size, size, scale_, offset_);
    labels[row] = images_.labels[image];
  }
  return {};
}

MemoryImages::Normalisation measure(const ImageSet& images) {
  std::array<std::int64_t, 256> seen{};
  for (const std::uint8_t byte : images.pixels) ++seen[byte];
  double sum = 0;
  double squares = 0;
  for (std::size_t byte = 0; byte < seen.size(); ++byte) {
    const double level = static_cast<double>(byte) / 255;
    sum += level * static_cast<double>(seen[byte]);
    squares += level * level * static_cast<double>(seen[byte]);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(images.pixels.size(), 1));
  const double centre = sum / count;
  const double deviation = std::sqrt(std::max(squares / count - centre * centre, 0.0));
  return {centre, deviation > 0 ? deviation : 1};
}

}  // namespace tacho
