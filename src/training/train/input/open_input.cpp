#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "training/data/catalog.h"
#include "training/data/image_data.h"
#include "training/data/image_folder.h"
#include "training/data/locate_input.h"
#include "training/data/text_data.h"
#include "training/data/token_data.h"
#include "training/train/input/batch_source.h"
#include "training/train/input/folder_images.h"
#include "training/train/input/memory_images.h"
#include "training/train/input/packed_tokens.h"
#include "training/train/input/padded_sentences.h"
#include "training/train/input/pipeline.h"
#include "training/train/input/synthetic_batches.h"

namespace tacho {
namespace {

// Large enough to keep the cores busy, small enough for any memory that fits the training batch.
std::int64_t eval_batch(const RunSpec& spec) { return std::max<std::int64_t>(spec.batch, 250); }

// A rank's portion of one part of the data.
struct Portion {
  Share share;
  std::int64_t batch = 1;  // of all ranks that share it
  std::int64_t seed = 0;
};

Portion training_portion(const RunSpec& spec, const Share& share) {
  if (!spec.dist.replicate_data) return {share, spec.batch * share.size, spec.seed};
  // Seeds of neighbouring runs must not equal those of ranks.
  return {{}, spec.batch, spec.seed + (share.rank << 32U)};
}

Portion evaluation_portion(const RunSpec& spec, const Share& share) {
  return {share, eval_batch(spec) * share.size, 0};
}

void keep_first(ImageSet& set, std::optional<std::int64_t> samples) {
  if (samples) set.keep_first(*samples);
}

void keep_first(TextSet& set, std::optional<std::int64_t> samples) {
  if (!samples || *samples >= static_cast<std::int64_t>(set.labels.size())) return;
  set.tokens.resize(static_cast<std::size_t>(*samples));
  set.labels.resize(static_cast<std::size_t>(*samples));
}

// Files are listed class by class: the first ones would not contain all classes.
void keep_spread(ImageList& list, std::optional<std::int64_t> samples) {
  const auto all = static_cast<std::int64_t>(list.files.size());
  if (!samples || *samples >= all) return;
  for (std::int64_t i = 0; i < *samples; ++i) {
    const auto from = static_cast<std::size_t>(i * all / *samples);
    list.files[static_cast<std::size_t>(i)] = list.files[from];
    list.labels[static_cast<std::size_t>(i)] = list.labels[from];
  }
  list.files.resize(static_cast<std::size_t>(*samples));
  list.labels.resize(static_cast<std::size_t>(*samples));
}

// Batches from memory are made faster than any model trains: one thread suffices.
std::unique_ptr<BatchSource> ahead(std::unique_ptr<SampleSet> set, const Portion& portion,
                                   const RunSpec& spec, std::int64_t threads = 1) {
  return std::make_unique<Pipeline>(std::move(set), portion.batch, spec.workers.value_or(threads),
                                    portion.share);
}

// Resolves --crop or --flip, which may leave the choice to --augment.
bool augments(Switch chosen, const RunSpec& spec, bool by_default) {
  if (chosen == Switch::automatic) chosen = spec.augment;
  return chosen == Switch::on || (chosen == Switch::automatic && by_default);
}

Result<void> take_levels(const std::vector<double>& given, std::string_view option,
                         std::int64_t channels, std::array<float, 3>& levels) {
  if (given.empty()) return {};
  if (static_cast<std::int64_t>(given.size()) != channels) {
    return Error{ErrorCode::usage, fmt::format("--{} has {} values, but the images have {} "
                                               "channels; give one value per channel",
                                               option, given.size(), channels)};
  }
  std::ranges::transform(given, levels.begin(), [](double level) { return float(level); });
  return {};
}

// Replaces what --mean and --std give.
Result<Normalisation> normalisation_of(const RunSpec& spec, std::int64_t channels,
                                       Normalisation usual) {
  TACHO_CHECK(take_levels(spec.pixel_mean, "mean", channels, usual.mean));
  TACHO_CHECK(take_levels(spec.pixel_std, "std", channels, usual.deviation));
  return usual;
}

// Over the training part, so that evaluation is scaled like training. Prepared files have the
// statistics of all their images: reading them again would take seconds.
Normalisation usual_normalisation(const ImageData& data) {
  if (data.statistics) return {data.statistics->mean, data.statistics->deviation};
  return measure(data.train);
}

std::vector<std::string> names_of_classes(const DatasetInfo& dataset, const ImageData& data) {
  return data.class_names.empty() ? class_labels(dataset.labels, data.classes) : data.class_names;
}

Result<InputParts> open_images(const RunSpec& spec, const DatasetInfo& dataset,
                               const std::filesystem::path& folder, const Share& share) {
  TACHO_TRY(data, load_images(dataset, folder));
  keep_first(data.train, spec.train_samples);
  keep_first(data.eval, spec.eval_samples);
  const InputSize size{data.train.channels, data.train.height, data.train.width};
  if (spec.input && *spec.input != size) {
    return Error{ErrorCode::usage,
                 fmt::format("{} has images of {}; --input can only resize image files",
                             dataset.name, to_text(size))};
  }
  const Portion training = training_portion(spec, share);
  const Portion evaluation = evaluation_portion(spec, share);
  TACHO_TRY(normalisation, normalisation_of(spec, size.channels, usual_normalisation(data)));
  MemoryImages::Options options{
      .batch = evaluation.batch, .normalisation = normalisation, .format = BatchFormat::of(spec)};
  InputParts parts;
  parts.shape = {.channels = size.channels,
                 .height = size.height,
                 .width = size.width,
                 .classes = data.classes};
  parts.facts = {.shape = parts.shape,
                 .labels = names_of_classes(dataset, data),
                 .normalisation = options.normalisation};
  parts.eval =
      ahead(std::make_unique<MemoryImages>(std::move(data.eval), options), evaluation, spec);
  options.batch = training.batch;
  options.order = SampleOrder::shuffled;
  options.seed = training.seed;
  const bool colour = size.channels == 3;
  if (augments(spec.crop, spec, colour)) {
    options.augmentation.padding = PaddedCrop::training().padding;
  }
  options.augmentation.may_flip = augments(spec.flip, spec, colour);
  options.trivial_augment = spec.trivial_augment;
  options.erase = spec.erase;
  parts.train =
      ahead(std::make_unique<MemoryImages>(std::move(data.train), options), training, spec);
  return parts;
}

Result<InputParts> open_folder(const RunSpec& spec, const std::filesystem::path& folder,
                               const Share& share) {
  TACHO_TRY(model, find_model(spec.model));
  TACHO_TRY(images, load_image_folder(folder));
  keep_spread(images.train, spec.train_samples);
  keep_spread(images.eval, spec.eval_samples);
  InputParts parts;
  parts.shape = {.channels = spec.input ? spec.input->channels : model->sample.channels,
                 .height = spec.input ? spec.input->height : model->sample.height,
                 .width = spec.input ? spec.input->width : model->sample.width,
                 .classes = static_cast<std::int64_t>(images.train.classes.size())};
  TACHO_TRY(normalisation, normalisation_of(spec, parts.shape.channels, kImageNetNormalisation));
  parts.facts = {
      .shape = parts.shape, .labels = images.train.classes, .normalisation = normalisation};
  const Portion training = training_portion(spec, share);
  const Portion evaluation = evaluation_portion(spec, share);
  FolderImages::Options options{.shape = parts.shape,
                                .batch = evaluation.batch,
                                .normalisation = normalisation,
                                .format = BatchFormat::of(spec)};
  const std::int64_t threads = at::get_num_threads();
  parts.eval = ahead(std::make_unique<FolderImages>(std::move(images.eval), options), evaluation,
                     spec, threads);
  options.batch = training.batch;
  options.order = SampleOrder::shuffled;
  options.seed = training.seed;
  if (augments(spec.crop, spec, true)) options.augmentation = Augmentation::training();
  options.augmentation.may_flip = augments(spec.flip, spec, true);
  options.erase = spec.erase;
  parts.train = ahead(std::make_unique<FolderImages>(std::move(images.train), options), training,
                      spec, threads);
  return parts;
}

// Returns the file to read, "" to learn a vocabulary. A run that has learned one keeps it: the
// files may have changed since, and another release may learn another.
std::filesystem::path vocabulary_file(const RunSpec& spec, const RunFolder& run) {
  if (!spec.vocabulary.empty()) return spec.vocabulary;
  std::error_code unreadable;  // reported by whatever reads it
  return std::filesystem::exists(run.vocabulary(), unreadable) ? run.vocabulary() : "";
}

Result<void> keep(const PieceVocabulary& pieces, const RunFolder& run) {
  TACHO_CHECK(make_folders(run.path()));
  return pieces.save(run.vocabulary());
}

Result<InputParts> open_text(const RunSpec& spec, const DatasetInfo& dataset,
                             const std::filesystem::path& folder, const RunFolder& run,
                             const Share& share) {
  TACHO_TRY(model, find_model(spec.model));
  const TextOptions options{.kind = model->tokens,
                            .max_length = spec.length,
                            .vocabulary_file = vocabulary_file(spec, run)};
  TACHO_TRY(data, load_text(dataset, folder, options));
  // Stored even if the user named a file: the model may be used where that file does not exist.
  if (data.pieces && options.vocabulary_file != run.vocabulary()) {
    TACHO_CHECK(keep(*data.pieces, run));
  }
  keep_first(data.train, spec.train_samples);
  keep_first(data.eval, spec.eval_samples);
  InputParts parts;
  parts.shape = {.vocabulary = data.vocabulary, .classes = data.classes};
  parts.facts = {.shape = parts.shape, .labels = class_labels(dataset.labels, data.classes)};
  if (data.words) parts.facts.words = data.words->words();
  const Portion training = training_portion(spec, share);
  const Portion evaluation = evaluation_portion(spec, share);
  parts.train = ahead(std::make_unique<PaddedSentences>(std::move(data.train), training.batch,
                                                        SampleOrder::shuffled, training.seed,
                                                        BatchFormat::of(spec)),
                      training, spec);
  parts.eval =
      ahead(std::make_unique<PaddedSentences>(std::move(data.eval), evaluation.batch,
                                              SampleOrder::given, 0, BatchFormat::of(spec)),
            evaluation, spec);
  return parts;
}

// A run that has a tokenizer keeps it, like a vocabulary.
Result<TokenData> tokens_of(const RunSpec& spec, const std::filesystem::path& text,
                            const std::filesystem::path& tacho_home, const RunFolder& run) {
  std::error_code unreadable;  // reported by whatever reads it
  const bool kept = std::filesystem::exists(run.tokenizer(), unreadable);
  const TokenOptions options{.vocabulary = kept ? run.tokenizer().string() : spec.vocabulary,
                             .tokens = spec.tokens,
                             .vocabulary_size = spec.vocabulary_size,
                             .cache = tacho_home / "cache" / "tokens"};
  TACHO_TRY(data, load_tokens(text, options));
  if (!kept) {
    TACHO_CHECK(make_folders(run.path()));
    TACHO_CHECK(data.codec.save(run.tokenizer()));
  }
  return std::move(data);
}

Result<InputParts> open_documents(const RunSpec& spec, const std::filesystem::path& text,
                                  const std::filesystem::path& tacho_home, const RunFolder& run,
                                  const Share& share) {
  TACHO_TRY(model, find_model(spec.model));
  TACHO_TRY(data, tokens_of(spec, text, tacho_home, run));
  const auto file = std::make_shared<const TokenFile>(std::move(data.tokens));
  const std::int64_t length = spec.length.value_or(model->sample.length);
  const auto part = [&](std::int64_t begin, std::int64_t tokens, const Portion& portion,
                        std::optional<std::int64_t> samples, SampleOrder order) {
    // The label of the last token; shuffled samples also need room for their offset.
    const std::int64_t further = order == SampleOrder::given ? 1 : length;
    if (samples) tokens = std::min(tokens, *samples * length + further);
    return ahead(std::make_unique<PackedTokens>(
                     file, PackedTokens::Options{.begin = begin,
                                                 .tokens = tokens,
                                                 .length = length,
                                                 .batch = portion.batch,
                                                 .order = order,
                                                 .seed = portion.seed,
                                                 .format = BatchFormat::of(spec)}),
                 portion, spec);
  };
  if (std::min(file->train_tokens(), file->eval_tokens()) <= length) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: {} tokens for training and {} for evaluation are too few for "
                             "samples of {}; use more text or a smaller --length",
                             text.string(), file->train_tokens(), file->eval_tokens(), length)};
  }
  InputParts parts;
  parts.shape = {.vocabulary = data.codec.size(),
                 .classes = data.codec.size(),
                 .length = length,
                 .decoder = decoder_shape(*model, spec)};
  parts.train = part(0, file->train_tokens(), training_portion(spec, share), spec.train_samples,
                     SampleOrder::shuffled);
  Portion evaluation = evaluation_portion(spec, share);
  evaluation.batch = spec.batch * share.size;  // logits of every token need memory
  parts.eval = part(file->train_tokens(), file->eval_tokens(), evaluation, spec.eval_samples,
                    SampleOrder::given);
  return parts;
}

Result<InputParts> open_dataset(const RunSpec& spec, const std::filesystem::path& tacho_home,
                                const RunFolder& run, const Share& share) {
  TACHO_TRY(input, locate_input(spec, tacho_home));
  if (input.decodes_files) return open_folder(spec, input.folder, share);
  switch (input.dataset->input) {
    case InputKind::image:
      return open_images(spec, *input.dataset, input.folder, share);
    case InputKind::text:
      return open_text(spec, *input.dataset, input.folder, run, share);
    case InputKind::documents:
      return open_documents(spec, input.folder, tacho_home, run, share);
  }
  broken_invariant("a kind of input");
}

}  // namespace

Result<InputParts> open_input(const RunSpec& spec, const std::filesystem::path& tacho_home,
                              const RunFolder& run, const Share& share) {
  if (is_synthetic(spec)) return open_synthetic(spec, share);
  auto input = open_dataset(spec, tacho_home, run, share);
  // A language model needs nothing but its tokenizer.
  const bool has_facts = input.ok() && !input->facts.labels.empty();
  if (has_facts && share.rank == 0) TACHO_CHECK(keep_input_facts(input->facts, run));
  return input;
}

}  // namespace tacho
