#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/event.h"
#include "core/record/generate_request.h"
#include "core/record/run_folder.h"
#include "training/text/text_codec.h"
#include "training/train/serving/language_model.h"
#include "training/train/serving/text_batch.h"

namespace tacho {

// Continues texts with the language model of a run.
class TextGenerator {
 public:
  using Token = TextCodec::Token;
  using Facts = LanguageModel::Facts;

  static Result<TextGenerator> load(const RunFolder& run, CheckpointKind kind, Device where,
                                    const ComputePaths& paths);

  // Takes whole characters; returns false to stop.
  using TakeText = std::function<bool(std::string_view)>;
  // Returns the number of tokens generated; ends at an end-of-text token or after `max_tokens`.
  // Texts longer than the model's continue from their last half.
  Result<std::int64_t> generate(const GenerateRequest& request, const TakeText& take);

  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] std::int64_t vocabulary() const { return codec_.size(); }
  // Never empty: something must be read before a token can be predicted.
  [[nodiscard]] Result<std::vector<Token>> encode(std::string_view text) const;
  [[nodiscard]] std::string decode(Token token) const {
    return codec_.decode(std::span(&token, 1));
  }
  [[nodiscard]] bool is_end(Token token) const { return codec_.end_of_text() == token; }
  // An empty batch. Batches may be used by different threads.
  [[nodiscard]] TextBatch batch() const { return {model_, facts_.length, device_}; }

 private:
  TextGenerator(LanguageModel loaded, at::Device device)
      : facts_(std::move(loaded.facts)),
        codec_(std::move(loaded.codec)),
        model_(std::move(loaded.model)),
        device_(device) {}

  Facts facts_;
  TextCodec codec_;
  std::shared_ptr<Decoder> model_;
  at::Device device_;
};

}  // namespace tacho
