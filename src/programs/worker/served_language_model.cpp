#include "programs/worker/served_language_model.h"

#include <fmt/format.h>

#include "training/train/guarded.h"

namespace tacho {
namespace {

infer::ModelFacts facts_of(const TextGenerator& generator, const infer::InferOptions& options) {
  const TextGenerator::Facts& facts = generator.facts();
  return {.name = facts.model,
          .run = facts.run,
          .digest = facts.digest,
          .input = InputKind::documents,
          .shape = {{"vocabulary", generator.vocabulary()}, {"length", facts.length}},
          .computes =
              fmt::format("{}-{}", kDevices.of(options.device), kPrecisions.of(options.precision))};
}

}  // namespace

ServedLanguageModel::ServedLanguageModel(TextGenerator generator,
                                         const infer::InferOptions& options, std::int64_t threads)
    : generator_(std::move(generator)),
      facts_(facts_of(generator_, options)),
      threads_(static_cast<int>(threads)) {
  for (int i = 0; i < options.instances; ++i) batches_.push_back(generator_.batch());
}

Result<void> ServedLanguageModel::begin(int /*instance*/) {
  return guarded([&]() -> Result<void> {
    at::set_num_threads(threads_);
    return {};
  });
}

Result<void> ServedLanguageModel::join(int instance, std::span<const std::int32_t> text,
                                       const Sampling& sampling) {
  return guarded([&]() -> Result<void> {
    batch(instance).join({text.begin(), text.end()}, sampling);
    return {};
  });
}

Result<std::vector<infer::LanguageModel::Next>> ServedLanguageModel::step(int instance) {
  return guarded([&]() -> Result<std::vector<Next>> {
    std::vector<Next> next;
    for (const auto& token : batch(instance).step()) {
      if (!token) {
        next.emplace_back(Error{ErrorCode::failed, "the model's output is NaN"});
      } else if (generator_.is_end(*token)) {
        next.emplace_back(std::optional<std::string>());
      } else {
        next.emplace_back(std::optional(generator_.decode(*token)));
      }
    }
    return next;
  });
}

}  // namespace tacho
