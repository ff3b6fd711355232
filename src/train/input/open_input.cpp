#include <algorithm>

#include "data/catalog.h"
#include "data/image_data.h"
#include "data/locate_input.h"
#include "data/text_data.h"
#include "train/input/batch_source.h"
#include "train/input/image_source.h"
#include "train/input/text_source.h"

namespace tacho {
namespace {

// Large enough to keep the cores busy, small enough for any memory the training batch fits in.
std::int64_t eval_batch(const RunSpec& spec) { return std::max<std::int64_t>(spec.batch, 250); }

void keep_first(ImageSet& set, std::optional<std::int64_t> samples) {
  if (!samples || *samples >= set.count) return;
  set.count = *samples;
  set.pixels.resize(static_cast<std::size_t>(set.count * set.channels * set.height * set.width));
  set.labels.resize(static_cast<std::size_t>(set.count));
}

void keep_first(TextSet& set, std::optional<std::int64_t> samples) {
  if (!samples || *samples >= static_cast<std::int64_t>(set.labels.size())) return;
  set.tokens.resize(static_cast<std::size_t>(*samples));
  set.labels.resize(static_cast<std::size_t>(*samples));
}

Result<InputParts> open_images(const RunSpec& spec, const DatasetInfo& dataset,
                               const std::filesystem::path& folder) {
  TACHO_TRY(data, load_images(dataset, folder));
  keep_first(data.train, spec.train_samples);
  keep_first(data.eval, spec.eval_samples);
  const auto normalisation = measure(data.train);
  InputParts parts;
  parts.shape = {.channels = data.train.channels,
                 .height = data.train.height,
                 .width = data.train.width,
                 .classes = data.classes};
  parts.train = std::make_unique<ImageSource>(
      std::move(data.train), spec.batch, ImageSource::Order::shuffled, spec.seed, normalisation);
  parts.eval = std::make_unique<ImageSource>(std::move(data.eval), eval_batch(spec),
                                             ImageSource::Order::given, 0, normalisation);
  return parts;
}

Result<InputParts> open_text(const RunSpec& spec, const DatasetInfo& dataset,
                             const std::filesystem::path& folder) {
  TACHO_TRY(data, load_text(dataset, folder));
  keep_first(data.train, spec.train_samples);
  keep_first(data.eval, spec.eval_samples);
  InputParts parts;
  parts.shape = {.vocabulary = data.vocabulary, .classes = data.classes};
  parts.train = std::make_unique<TextSource>(std::move(data.train), spec.batch,
                                             TextSource::Order::shuffled, spec.seed);
  parts.eval = std::make_unique<TextSource>(std::move(data.eval), eval_batch(spec),
                                            TextSource::Order::by_length, 0);
  return parts;
}

}  // namespace

Result<InputParts> open_input(const RunSpec& spec, const std::filesystem::path& tacho_home) {
  TACHO_TRY(input, locate_input(spec, tacho_home));
  return input.dataset->input == InputKind::image ? open_images(spec, *input.dataset, input.folder)
                                                  : open_text(spec, *input.dataset, input.folder);
}

}  // namespace tacho
