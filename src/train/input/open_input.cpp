#include <algorithm>

#include "data/catalog.h"
#include "data/image_data.h"
#include "data/locate_input.h"
#include "data/text_data.h"
#include "train/input/batch_source.h"
#include "train/input/memory_images.h"
#include "train/input/padded_sentences.h"
#include "train/input/pipeline.h"
#include "train/input/synthetic_batches.h"

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

// What lies in memory is made into batches faster than any model trains: one thread suffices.
std::unique_ptr<BatchSource> ahead(std::unique_ptr<SampleSet> set, std::int64_t batch,
                                   const RunSpec& spec) {
  return std::make_unique<Pipeline>(std::move(set), batch, spec.workers.value_or(1));
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
  parts.train =
      ahead(std::make_unique<MemoryImages>(std::move(data.train), spec.batch, SampleOrder::shuffled,
                                           spec.seed, normalisation),
            spec.batch, spec);
  parts.eval = ahead(std::make_unique<MemoryImages>(std::move(data.eval), eval_batch(spec),
                                                    SampleOrder::given, 0, normalisation),
                     eval_batch(spec), spec);
  return parts;
}

Result<InputParts> open_text(const RunSpec& spec, const DatasetInfo& dataset,
                             const std::filesystem::path& folder) {
  TACHO_TRY(model, find_model(spec.model));
  TextOptions options{.kind = model->tokens, .vocabulary_file = spec.vocabulary};
  options.max_length = spec.length.value_or(options.max_length);
  TACHO_TRY(data, load_text(dataset, folder, options));
  keep_first(data.train, spec.train_samples);
  keep_first(data.eval, spec.eval_samples);
  InputParts parts;
  parts.shape = {.vocabulary = data.vocabulary, .classes = data.classes};
  parts.train = ahead(std::make_unique<PaddedSentences>(std::move(data.train), spec.batch,
                                                        SampleOrder::shuffled, spec.seed),
                      spec.batch, spec);
  parts.eval = ahead(std::make_unique<PaddedSentences>(std::move(data.eval), eval_batch(spec),
                                                       SampleOrder::given, 0),
                     eval_batch(spec), spec);
  return parts;
}

}  // namespace

Result<InputParts> open_input(const RunSpec& spec, const std::filesystem::path& tacho_home) {
  if (is_synthetic(spec)) return open_synthetic(spec);
  TACHO_TRY(input, locate_input(spec, tacho_home));
  return input.dataset->input == InputKind::image ? open_images(spec, *input.dataset, input.folder)
                                                  : open_text(spec, *input.dataset, input.folder);
}

}  // namespace tacho
