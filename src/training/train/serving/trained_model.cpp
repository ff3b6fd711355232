#include "training/train/serving/trained_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "base/confined_file.h"
#include "base/sha256.h"
#include "core/record/checkpoint_files.h"
#include "training/data/text_data.h"
#include "training/image/image_loader.h"
#include "training/train/cpu_paths.h"
#include "training/train/device_setup.h"
#include "training/train/guarded.h"
#include "training/train/models/registry.h"
#include "training/train/optimizer.h"
#include "training/train/serving/model_digest.h"
#include "training/train/serving/tokenizer.h"
#include "training/train/serving/weights_folder.h"
#include "training/train/weights.h"
#include "training/weights/open_weights.h"

#ifdef TACHO_CUDA
#include "training/train/cuda/logits_graphs.h"
#endif

namespace tacho {
namespace {

Result<Tokenizer> tokenizer_of(const RunSpec& spec, const ModelInfo& info, const InputFacts& facts,
                               const RunFolder& run) {
  if (info.input != InputKind::text) return Tokenizer();
  if (info.tokens == TokenKind::word) return Tokenizer(facts.words, spec.length);
  std::error_code unreadable;  // reported by whatever reads it
  const bool kept = std::filesystem::exists(run.vocabulary(), unreadable);
  const bool named = !kept && !spec.vocabulary.empty();
  TACHO_TRY(lines,
            named ? read_file(spec.vocabulary) : read_confined(run.path(), run.vocabulary()));
  TACHO_TRY(pieces,
            PieceVocabulary::parse(lines).in(named ? spec.vocabulary : run.vocabulary().string()));
  return Tokenizer(std::move(pieces), spec.length.value_or(kMaxPieces));
}

struct Digests {
  std::string shown;
  std::string secret;
};

Digests digests_of(const RunSpec& spec, const InputFacts& facts, const Tokenizer& tokenizer,
                   const torch::nn::Module& model) {
  Sha256 sum;
  sum.add(fmt::format("tacho model 1\n{}\n{}x{}x{} {} {}\n", spec.model, facts.shape.channels,
                      facts.shape.height, facts.shape.width, facts.shape.vocabulary,
                      facts.shape.classes));
  for (const std::string& label : facts.labels) sum.add(label + "\n");
  sum.add(std::as_bytes(std::span(facts.normalisation.mean)));
  sum.add(std::as_bytes(std::span(facts.normalisation.deviation)));
  tokenizer.add_to(sum);
  add_state(model, sum);
  Sha256 longer = sum;
  longer.add("tacho cache 1\n");
  return {hex(sum.digest()), hex(longer.digest())};
}

Result<void> check_is_classifier(const ModelInfo& info) {
  if (info.input != InputKind::documents) return {};
  return Error{
      ErrorCode::usage,
      fmt::format("{} is a language model; those that a run trained can be served, folders "
                  "of weights cannot",
                  info.name)};
}

class Served final : public TrainedModel {
 public:
  Served(RunOrder order, const ModelInfo& info, InputFacts facts, Tokenizer tokenizer,
         const ServingOptions& options)
      : order_(std::move(order)),
        info_(info),
        facts_(std::move(facts)),
        tokenizer_(std::move(tokenizer)),
        options_(options),
        device_(options.device == Device::cuda ? at::kCUDA : at::kCPU) {
    order_.spec.device = options.device;
    order_.spec.precision = options.precision;
  }

  // `fill` reads the weights into the model.
  template <class Fill>
  Result<void> load(const Fill& fill) {
    TACHO_TRY(model, make_model(order_.spec.model, facts_.shape, order_.spec.stem));
    model_ = std::move(model);
    TACHO_CHECK(fill(*model_));
    digests_ = digests_of(order_.spec, facts_, tokenizer_, *model_);
    const torch::NoGradGuard no_grad;
    model_->to(device_);
    take_path(options_.paths, model_->workload());
    if (uses_channels_last(order_.spec, model_->workload())) to_channels_last(*model_);
    if (options_.precision == Precision::bf16) lower(*model_, at::kBFloat16);
    model_->eval();
    return {};
  }

  [[nodiscard]] const ModelInfo& info() const override { return info_; }
  [[nodiscard]] const InputFacts& input() const override { return facts_; }
  [[nodiscard]] const std::string& digest() const override { return digests_.shown; }
  [[nodiscard]] const std::string& secret() const override { return digests_.secret; }
  [[nodiscard]] std::string run_key() const override { return order_.key; }
  [[nodiscard]] std::int64_t max_tokens() const override { return tokenizer_.max_tokens(); }

  [[nodiscard]] Result<std::vector<std::int32_t>> tokens(std::string_view text) const override {
    std::vector<std::int32_t> tokens = tokenizer_.tokens(text);
    if (tokens.empty()) return Error{ErrorCode::invalid, "the text has no words"};
    const auto count = static_cast<std::int64_t>(tokens.size());
    if (tokenizer_.max_tokens() == 0 && count > options_.max_words) {
      return Error{ErrorCode::invalid,
                   fmt::format("the text has {} words; {} accepts at most {} words "
                               "(--max-words)",
                               count, info_.name, options_.max_words)};
    }
    return tokens;
  }

  [[nodiscard]] Result<std::vector<float>> pixels(
      std::span<const std::uint8_t> bytes) const override {
    const InputShape& shape = facts_.shape;
    std::vector<float> pixels(
        static_cast<std::size_t>(shape.channels * shape.height * shape.width));
    auto loader = take_loader();
    auto loaded = loader->load(bytes, Augmentation::evaluation(), 0,
                               {.pixels = pixels.data(),
                                .type = PixelType::f32,
                                .layout = PixelLayout::planar,
                                .channels = static_cast<int>(shape.channels),
                                .height = static_cast<int>(shape.height),
                                .width = static_cast<int>(shape.width)});
    {
      const std::lock_guard lock(mutex_);
      loaders_.push_back(std::move(loader));
    }
    if (!loaded.ok()) return loaded.error();
    return pixels;
  }

  Result<void> begin(int instance) override {
    return guarded([&]() -> Result<void> {
      at::set_num_threads(static_cast<int>(options_.threads));
      const std::lock_guard lock(mutex_);
      on_device_[instance] = std::make_unique<DeviceSetup>(order_.spec);
#ifdef TACHO_CUDA
      if (device_.is_cuda()) {
        graphs_[instance] = std::make_unique<LogitsGraphs>(*model_, options_.max_batch);
      }
#endif
      return {};
    });
  }

  Result<std::vector<Shares>> of_texts(int instance, std::span<const Tokens> texts) override {
    return guarded([&] {
      std::size_t longest = 1;
      for (const Tokens& text : texts) longest = std::max(longest, text.size());
      const auto count = static_cast<std::int64_t>(texts.size());
      Batch batch;
      batch.inputs = at::zeros({count, static_cast<std::int64_t>(longest)}, at::kLong);
      batch.lengths = at::empty({count}, at::kLong);
      auto* row = batch.inputs.data_ptr<std::int64_t>();
      auto* length = batch.lengths.data_ptr<std::int64_t>();
      for (const Tokens& text : texts) {
        std::ranges::copy(text, row);
        row += longest;
        *length++ = static_cast<std::int64_t>(text.size());
      }
      return compute(instance, batch);
    });
  }

  Result<std::vector<Shares>> of_images(int instance, std::span<const Pixels> images) override {
    return guarded([&] {
      const InputShape& shape = facts_.shape;
      Batch batch;
      batch.inputs = at::empty(
          {static_cast<std::int64_t>(images.size()), shape.channels, shape.height, shape.width},
          at::kFloat);
      auto* row = batch.inputs.data_ptr<float>();
      for (const Pixels& image : images) row = std::ranges::copy(image, row).out;
      return compute(instance, batch);
    });
  }

 private:
  std::unique_ptr<ImageLoader> take_loader() const {
    const std::lock_guard lock(mutex_);
    if (loaders_.empty()) {
      return std::make_unique<ImageLoader>(facts_.normalisation, options_.max_pixels);
    }
    auto loader = std::move(loaders_.back());
    loaders_.pop_back();
    return loader;
  }

  at::Tensor logits(int instance, Batch& batch) {
#ifdef TACHO_CUDA
    if (device_.is_cuda()) {
      batch.inputs = batch.inputs.to(at::kCUDA);
      if (batch.lengths.defined()) batch.lengths = batch.lengths.to(at::kCUDA);
      if (batch.inputs.is_floating_point()) batch.inputs = image_layout(order_.spec, batch.inputs);
      LogitsGraphs* graphs = nullptr;
      {
        const std::lock_guard lock(mutex_);
        graphs = graphs_.at(instance).get();
      }
      return graphs->logits(batch);
    }
#endif
    (void)instance;
    return model_->logits(batch);
  }

  Result<std::vector<Shares>> compute(int instance, Batch& batch) {
    const torch::NoGradGuard no_grad;
    const at::Tensor shares = at::softmax(logits(instance, batch).to(at::kFloat), -1).cpu();
    std::vector<Shares> answers;
    answers.reserve(static_cast<std::size_t>(shares.size(0)));
    const float* row = shares.data_ptr<float>();
    for (std::int64_t i = 0; i < shares.size(0); ++i, row += shares.size(1)) {
      answers.emplace_back(row, row + shares.size(1));
      if (!(answers.back()[0] >= 0)) {
        return Error{ErrorCode::failed, "the model's output is NaN"};
      }
    }
    return answers;
  }

  RunOrder order_;
  const ModelInfo& info_;
  InputFacts facts_;
  Tokenizer tokenizer_;
  ServingOptions options_;
  at::Device device_;
  std::shared_ptr<Classifier> model_;  // a shared_ptr because torch's modules require one
  Digests digests_;
  mutable std::mutex mutex_;                                   // guards the members below
  mutable std::vector<std::unique_ptr<ImageLoader>> loaders_;  // not in use by a thread
  std::map<int, std::unique_ptr<DeviceSetup>> on_device_;
#ifdef TACHO_CUDA
  std::map<int, std::unique_ptr<LogitsGraphs>> graphs_;
#endif
};

Result<Tokenizer> tokenizer_of(const WeightsFolder& folder) {
  if (folder.vocabulary.empty()) return Tokenizer();
  TACHO_TRY(pieces, PieceVocabulary::read(folder.vocabulary));
  return Tokenizer(std::move(pieces), folder.max_tokens);
}

// A model.json does not say how many tokens the vocabulary has; Hugging Face's config.json does.
Result<void> match_vocabulary(const Tokenizer& tokenizer, WeightsFolder& folder) {
  if (folder.vocabulary.empty()) return {};
  std::int64_t& expected = folder.facts.shape.vocabulary;
  if (expected == 0) expected = tokenizer.pieces();
  if (expected == tokenizer.pieces()) return {};
  return Error{ErrorCode::invalid,
               fmt::format("{} has {} tokens, but config.json says vocab_size {}; use the "
                           "vocabulary that belongs to the weights",
                           folder.vocabulary.string(), tokenizer.pieces(), expected)};
}

}  // namespace

Result<RunOrder> order_to_serve(const RunFolder& run) {
  TACHO_TRY(order, run.read_order());
  if (order.command) {
    return Error{
        ErrorCode::usage,
        "the run is a watched program; only models trained by 'tacho train' can be served"};
  }
  TACHO_CHECK(check(order.spec));
  if (is_synthetic(order.spec)) {
    return Error{ErrorCode::usage,
                 "the run was trained on synthetic data; its model cannot be served"};
  }
  return order;
}

Result<std::filesystem::path> checkpoint_to_serve(const RunFolder& run, CheckpointKind kind) {
  const auto newest = newest_checkpoint(run);
  if (!newest) {
    return Error{ErrorCode::not_found,
                 fmt::format("{} has no checkpoint, so there is no model to serve; train for at "
                             "least one epoch without --no-checkpoints",
                             run.checkpoints().string())};
  }
  if (kind == CheckpointKind::best) return best_checkpoint(run);
  return *newest;
}

Result<std::unique_ptr<TrainedModel>> TrainedModel::load(const RunFolder& run,
                                                         const std::filesystem::path& tacho_home,
                                                         const ServingOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<TrainedModel>> {
    TACHO_TRY(order, order_to_serve(run));
    TACHO_TRY(info, find_model(order.spec.model));
    TACHO_CHECK(check_is_classifier(*info));
    TACHO_TRY(checkpoint, checkpoint_to_serve(run, options.checkpoint));
    TACHO_TRY(facts, find_input_facts(order.spec, tacho_home, run));
    TACHO_TRY(tokenizer, tokenizer_of(order.spec, *info, facts, run));
    auto served = std::make_unique<Served>(std::move(order), *info, std::move(facts),
                                           std::move(tokenizer), options);
    TACHO_CHECK(
        served->load([&](torch::nn::Module& model) { return load_checkpoint(model, checkpoint); }));
    return std::unique_ptr<TrainedModel>(std::move(served));
  });
}

Result<std::unique_ptr<TrainedModel>> TrainedModel::load_folder(const std::filesystem::path& path,
                                                                const ServingOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<TrainedModel>> {
    TACHO_TRY(folder, read_weights_folder(path));
    TACHO_TRY(info, find_model(folder.model));
    TACHO_CHECK(check_is_classifier(*info));
    TACHO_TRY(tokenizer, tokenizer_of(folder));
    TACHO_CHECK(match_vocabulary(tokenizer, folder));
    TACHO_TRY(files, open_weights(folder.weights));
    RunOrder order;
    order.spec.model = folder.model;
    auto served = std::make_unique<Served>(std::move(order), *info, std::move(folder.facts),
                                           std::move(tokenizer), options);
    TACHO_CHECK(served->load([&](torch::nn::Module& model) -> Result<void> {
      TACHO_TRY(loaded, load_weights(model, files, folder.weights, WeightsMatch::exact));
      (void)loaded;  // heads of pretraining may be left over
      return {};
    }));
    return std::unique_ptr<TrainedModel>(std::move(served));
  });
}

}  // namespace tacho
