#include "training/train/input/folder_images.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "training/image/random_erasing.h"

namespace tacho {
namespace {

// One file in a thousand, but at least ten: more is not an accident.
std::int64_t most_unreadable(std::int64_t samples) {
  return std::max<std::int64_t>(10, samples / 1000);
}

}  // namespace

FolderImages::FolderImages(ImageList list, const Options& options)
    : list_(std::move(list)), options_(options) {}

BatchPlan FolderImages::plan(std::int64_t epoch) const {
  return plan_images(samples(), options_.batch, options_.order, options_.seed, epoch);
}

void FolderImages::lay_out(Chosen chosen, Batch& batch) const {
  const auto count = static_cast<std::int64_t>(chosen.size());
  if (batch.labels.defined() && batch.size() == count) return;
  batch.inputs = options_.format.images(count, options_.shape);
  batch.labels = options_.format.integers({count});
}

Result<void> FolderImages::fill(Chosen chosen, std::int64_t epoch, std::int64_t from,
                                std::int64_t to, Batch& batch) const {
  std::unique_ptr<ImageLoader> loader;
  {
    const std::lock_guard lock(mutex_);
    if (!loaders_.empty()) {
      loader = std::move(loaders_.back());
      loaders_.pop_back();
    }
  }
  if (loader == nullptr) loader = std::make_unique<ImageLoader>(options_.normalisation);
  auto* labels = batch.labels.data_ptr<std::int64_t>();
  for (std::int64_t row = from; row < to; ++row) {
    TACHO_CHECK(load(*loader, chosen[static_cast<std::size_t>(row)], epoch,
                     options_.format.place(batch.inputs, row), labels[row]));
  }
  const std::lock_guard lock(mutex_);
  loaders_.push_back(std::move(loader));
  return {};
}

Result<void> FolderImages::load(ImageLoader& loader, std::int64_t sample, std::int64_t epoch,
                                const PixelTarget& target, std::int64_t& label) const {
  while (true) {
    const auto index = static_cast<std::size_t>(sample);
    const std::uint64_t seed = sample_seed(static_cast<std::uint64_t>(options_.seed),
                                           static_cast<std::uint64_t>(epoch), index);
    const auto loaded =
        loader.load(list_.root / list_.files[index], options_.augmentation, seed, target);
    label = list_.labels[index];
    if (loaded.ok()) {
      erase(choose_erased_part(options_.erase, target.height, target.width, seed), target);
      return {};
    }
    TACHO_CHECK(pass_over(sample, loaded.error()));
    sample = (sample + 1) % samples();
  }
}

Result<void> FolderImages::pass_over(std::int64_t sample, const Error& why) const {
  const std::lock_guard lock(mutex_);
  const std::string what = fmt::format(
      "{}: {}", (list_.root / list_.files[static_cast<std::size_t>(sample)]).string(), why.message);
  if (unreadable_.insert(sample).second) notes_.push_back("skipped " + what);
  const auto count = static_cast<std::int64_t>(unreadable_.size());
  if (count < samples() && count <= most_unreadable(samples())) return {};
  return Error{ErrorCode::invalid,
               fmt::format("{} images cannot be read, the last one {}; remove or replace them",
                           count, what)};
}

std::vector<std::string> FolderImages::take_notes() const {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

}  // namespace tacho
