#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "serving/infer/language_model.h"
#include "serving/infer/options.h"
#include "training/train/serving/text_generator.h"

namespace tacho {

// Adapts the language model of a run to the server.
class ServedLanguageModel final : public infer::LanguageModel {
 public:
  // `threads`: of each instance.
  ServedLanguageModel(TextGenerator generator, const infer::InferOptions& options,
                      std::int64_t threads);

  [[nodiscard]] const infer::ModelFacts& facts() const override { return facts_; }
  [[nodiscard]] int instances() const override { return static_cast<int>(batches_.size()); }
  [[nodiscard]] Result<std::vector<std::int32_t>> tokens(std::string_view text) const override {
    return generator_.encode(text);
  }
  // One more than the model reads: it shows that the prompt is longer.
  [[nodiscard]] std::size_t reach() const override {
    return static_cast<std::size_t>(generator_.facts().length) + 1;
  }

  Result<void> begin(int instance) override;
  Result<void> join(int instance, std::span<const std::int32_t> text,
                    const Sampling& sampling) override;
  Result<std::vector<Next>> step(int instance) override;
  void leave(int instance, std::size_t row) override { batch(instance).leave(row); }

 private:
  TextBatch& batch(int instance) { return batches_.at(static_cast<std::size_t>(instance)); }

  TextGenerator generator_;
  infer::ModelFacts facts_;
  int threads_;
  std::vector<TextBatch> batches_;  // of each instance
};

}  // namespace tacho
