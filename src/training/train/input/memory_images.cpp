#include "training/train/input/memory_images.h"

#include "base/random.h"
#include "training/image/random_erasing.h"
#include "training/image/trivial_augment.h"

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
  const std::uint8_t* pixels = images_.all_pixels().data();
  auto* labels = batch.labels.data_ptr<std::int64_t>();
  std::vector<std::uint8_t> changed(options_.trivial_augment ? size : 0);
  for (std::int64_t row = from; row < to; ++row) {
    const auto sample = static_cast<std::size_t>(chosen[static_cast<std::size_t>(row)]);
    PlanarImage image{pixels + sample * size, static_cast<int>(images_.channels),
                      static_cast<int>(images_.height), static_cast<int>(images_.width)};
    const std::uint64_t seed = sample_seed(static_cast<std::uint64_t>(options_.seed),
                                           static_cast<std::uint64_t>(epoch), sample);
    if (options_.trivial_augment) {
      apply(choose_operation(seed), image, changed.data());
      image.pixels = changed.data();
    }
    const PixelTarget target = options_.format.place(batch.inputs, row);
    TACHO_CHECK(place_image(image, options_.augmentation, seed, options_.normalisation, target));
    erase(choose_erased_part(options_.erase, target.height, target.width, seed), target);
    labels[row] = images_.labels[sample];
  }
  return {};
}

Normalisation measure(const ImageSet& images) {
  ChannelLevels levels;
  const auto channels = static_cast<std::size_t>(images.channels);
  const std::size_t size = channels * static_cast<std::size_t>(images.height * images.width);
  const auto pixels = images.all_pixels();
  for (std::size_t at = 0; at < pixels.size(); at += size) {
    levels.add(pixels.subspan(at, size), channels);
  }
  const ChannelStatistics found = levels.statistics();
  return {found.mean, found.deviation};
}

}  // namespace tacho
