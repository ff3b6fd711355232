#include "train/input/image_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "train/input/shuffle.h"
#include "train/vector_widths.h"

namespace tacho {
namespace {

TACHO_EVERY_VECTOR_WIDTH
void scale_bytes(const std::uint8_t* __restrict bytes, float* __restrict out, std::int64_t count,
                 float scale, float offset) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(bytes[i]) * scale + offset;
}

}  // namespace

ImageSource::ImageSource(ImageSet images, std::int64_t batch, Order order, std::int64_t seed,
                         Normalisation normalisation)
    : images_(std::move(images)),
      batch_(batch),
      order_kind_(order),
      seed_(seed),
      scale_(static_cast<float>(1 / (255 * normalisation.deviation))),
      offset_(static_cast<float>(-normalisation.mean / normalisation.deviation)) {
  order_.resize(static_cast<std::size_t>(images_.count));
  inputs_ = at::empty({batch_, images_.channels, images_.height, images_.width}, at::kFloat);
  labels_ = at::empty({batch_}, at::kLong);
}

void ImageSource::begin_epoch(std::int64_t epoch) {
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
  if (order_kind_ == Order::shuffled) {
    Random(static_cast<std::uint64_t>(seed_), static_cast<std::uint64_t>(epoch)).shuffle(order_);
  }
  position_ = 0;
}

bool ImageSource::next(Batch& batch) {
  const std::int64_t count = std::min(batch_, images_.count - position_);
  if (count <= 0) return false;
  const std::int64_t size = images_.channels * images_.height * images_.width;
  float* out = inputs_.data_ptr<float>();
  auto* labels = labels_.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto image = static_cast<std::size_t>(order_[static_cast<std::size_t>(position_ + i)]);
    const std::uint8_t* pixels = images_.pixels.data() + image * static_cast<std::size_t>(size);
    scale_bytes(pixels, out + i * size, size, scale_, offset_);
    labels[i] = images_.labels[image];
  }
  position_ += count;
  batch.inputs = count == batch_ ? inputs_ : inputs_.narrow(0, 0, count);
  batch.labels = count == batch_ ? labels_ : labels_.narrow(0, 0, count);
  return true;
}

ImageSource::Normalisation measure(const ImageSet& images) {
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
