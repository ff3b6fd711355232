#include "training/train/serving/text_generator.h"

#include <string>
#include <vector>

#include "base/utf8_tail.h"
#include "training/train/cpu_paths.h"
#include "training/train/guarded.h"
#include "training/train/serving/language_model.h"

namespace tacho {

Result<TextGenerator> TextGenerator::load(const RunFolder& run, CheckpointKind kind, Device where,
                                          const ComputePaths& paths) {
  return guarded([&]() -> Result<TextGenerator> {
    TACHO_TRY(loaded, load_language_model(run, kind));
    const at::Device device(where == Device::cuda ? at::kCUDA : at::kCPU);
    const torch::NoGradGuard no_grad;
    loaded.model->to(device);
    loaded.model->eval();
    take_path(paths, loaded.model->workload());
    return TextGenerator(std::move(loaded), device);
  });
}

Result<std::vector<TextGenerator::Token>> TextGenerator::encode(std::string_view text) const {
  TACHO_TRY(tokens, codec_.encode(text));
  if (tokens.empty()) tokens.push_back(codec_.end_of_text().value_or(0));
  return std::move(tokens);
}

Result<std::int64_t> TextGenerator::generate(const GenerateRequest& request, const TakeText& take) {
  return guarded([&]() -> Result<std::int64_t> {
    TACHO_TRY(text, encode(request.prompt));
    TextBatch alone = batch();
    alone.join(std::move(text), request.sampling);
    std::string pending;
    std::int64_t made = 0;
    while (made < request.max_tokens) {
      const auto token = alone.step().front();
      if (!token) return Error{ErrorCode::failed, "the model's output is NaN"};
      if (is_end(*token)) break;
      ++made;
      pending += decode(*token);
      const std::size_t whole = complete_bytes(pending);
      if (whole > 0 && !take(std::string_view(pending).substr(0, whole))) return made;
      pending.erase(0, whole);
    }
    if (!pending.empty()) take(pending);
    return made;
  });
}

}  // namespace tacho
