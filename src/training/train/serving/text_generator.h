#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "core/record/event.h"
#include "core/record/generate_request.h"
#include "core/record/run_folder.h"
#include "training/text/text_codec.h"
#include "training/train/models/decoder.h"

namespace tacho {

// Continues texts with the language model of a run.
class TextGenerator {
 public:
  // Takes whole characters; returns false to stop.
  using TakeText = std::function<bool(std::string_view)>;

  // Loads the checkpoint that the request names.
  static Result<TextGenerator> load(const RunFolder& run, const GenerateRequest& request,
                                    const ComputePaths& paths);

  // Returns the number of tokens generated; ends at an end-of-text token or after `max_tokens`.
  // Texts longer than the model's continue from their last half.
  Result<std::int64_t> generate(const GenerateRequest& request, const TakeText& take);

 private:
  TextGenerator(TextCodec codec, std::shared_ptr<Decoder> model, std::int64_t length,
                at::Device device)
      : codec_(std::move(codec)), model_(std::move(model)), length_(length), device_(device) {}

  TextCodec codec_;
  std::shared_ptr<Decoder> model_;
  std::int64_t length_;  // most tokens that the model reads
  at::Device device_;
};

}  // namespace tacho
