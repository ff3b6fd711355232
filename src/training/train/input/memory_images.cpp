#include "training/train/input/memory_images.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"

namespace tacho {

BatchPlan MemoryImages::plan(std::int64_t epoch) const {
  return plan_images(images_.count, options_.batch, options_.order, options_.seed, epoch);
}

void MemoryImages::lay_out(Chosen chosen, Batch& batch) const {
  const auto count = static_cast<std::int64_t>(chosen.size());
  if (batch.labels.defined() && batch.size() == count) return;
  batch.inputs = options_.format.images(
      count, {.channels = images_.channels, .height = images_.height, .width = images_.width});
  batch.labels = options_.format.integers({count});
}

Result<void> MemoryImages::fill(Chosen chosen, std::int64_t epoch, std::int64_t from,
                                std::int64_t to, Batch& batch) const {
  const auto size = static_cast<std::size_t>(images_.channels * images_.height * images_.width);
  auto* labels = batch.labels.data_ptr<std::int64_t>();
  for (std::int64_t row = from; row < to; ++row) {
    const auto sample = static_cast<std::size_t>(chosen[static_cast<std::size_t>(row)]);
    const PlanarImage image{images_.pixels.data() + sample * size,
                            static_cast<int>(images_.channels), static_cast<int>(images_.height),
                            static_cast<int>(images_.width)};
    const std::uint64_t seed = sample_seed(static_cast<std::uint64_t>(options_.seed),
                                           static_cast<std::uint64_t>(epoch), sample);
    TACHO_CHECK(place_image(image, options_.augmentation, seed, options_.normalisation,
                            options_.format.place(batch.inputs, row)));
    labels[row] = images_.labels[sample];
  }
  return {};
}

Normalisation measure(const ImageSet& images) {
  Normalisation found;
  const auto area = static_cast<std::size_t>(images.height * images.width);
  const auto channels = static_cast<std::size_t>(images.channels);
  for (std::size_t channel = 0; channel < std::min(channels, found.mean.size()); ++channel) {
    std::array<std::int64_t, 256> seen{};
    for (std::size_t at = channel * area; at < images.pixels.size(); at += channels * area) {
      for (std::size_t i = 0; i < area; ++i) ++seen[images.pixels[at + i]];
    }
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t byte = 0; byte < seen.size(); ++byte) {
      const double level = static_cast<double>(byte) / 255;
      count += static_cast<double>(seen[byte]);
      sum += level * static_cast<double>(seen[byte]);
      squares += level * level * static_cast<double>(seen[byte]);
    }
    const double centre = sum / std::max(count, 1.0);
    const double variance = squares / std::max(count, 1.0) - centre * centre;
    found.mean[channel] = static_cast<float>(centre);
    // A uniform image must not divide by zero.
    found.deviation[channel] = variance > 1e-12 ? static_cast<float>(std::sqrt(variance)) : 1.0F;
  }
  return found;
}

}  // namespace tacho
