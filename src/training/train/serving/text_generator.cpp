#include "training/train/serving/text_generator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "training/text/utf8.h"
#include "training/train/cpu_paths.h"
#include "training/train/guarded.h"
#include "training/train/serving/language_model.h"

namespace tacho {
namespace {

using Token = TextCodec::Token;

// Chooses among the logits of one token.
class Sampler {
 public:
  explicit Sampler(const GenerateRequest& request)
      : request_(request), random_(Random::scattered(static_cast<std::uint64_t>(request.seed))) {}

  Token choose(const at::Tensor& logits) {
    if (request_.temperature == 0) return static_cast<Token>(logits.argmax().item<std::int64_t>());
    const std::int64_t all = logits.numel();
    const auto [values, tokens] =
        logits.topk(request_.top_k > 0 ? std::min(request_.top_k, all) : all);
    const at::Tensor shares =
        at::softmax(values.to(at::kDouble) / request_.temperature, 0).cumsum(0).contiguous();
    const double* share = shares.data_ptr<double>();
    const auto last = static_cast<std::size_t>(shares.numel() - 1);
    const double drawn = random_.between(0, 1) * share[last];
    const auto at = std::min<std::size_t>(
        last, static_cast<std::size_t>(std::upper_bound(share, share + last + 1, drawn) - share));
    return static_cast<Token>(tokens[static_cast<std::int64_t>(at)].item<std::int64_t>());
  }

 private:
  const GenerateRequest& request_;
  Random random_;
};

// Returns the bytes of `text` before a character that is not complete yet.
std::size_t complete_bytes(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t tail = 1; tail <= std::min(kLongest, text.size()); ++tail) {
    const auto byte = static_cast<unsigned char>(text[text.size() - tail]);
    if ((byte & 0xC0U) == 0x80U) continue;  // continues a character
    const std::size_t wanted = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return tail < wanted ? text.size() - tail : text.size();
  }
  return text.size();
}

}  // namespace

Result<TextGenerator> TextGenerator::load(const RunFolder& run, const GenerateRequest& request,
                                          const ComputePaths& paths) {
  return guarded([&]() -> Result<TextGenerator> {
    TACHO_TRY(loaded, load_language_model(run, request.checkpoint));
    const at::Device device(request.device == Device::cuda ? at::kCUDA : at::kCPU);
    const torch::NoGradGuard no_grad;
    loaded.model->to(device);
    loaded.model->eval();
    take_path(paths, loaded.model->workload());
    return TextGenerator(std::move(loaded.codec), std::move(loaded.model), loaded.length, device);
  });
}

Result<std::int64_t> TextGenerator::generate(const GenerateRequest& request, const TakeText& take) {
  return guarded([&]() -> Result<std::int64_t> {
    const torch::NoGradGuard no_grad;
    TACHO_TRY(text, codec_.encode(request.prompt));
    // Something must be read before the first token can be predicted.
    if (text.empty()) text.push_back(codec_.end_of_text().value_or(0));
    const auto read = [&](std::size_t from, KeyValueCache& cache) {
      const std::vector<std::int64_t> tokens(text.begin() + static_cast<std::ptrdiff_t>(from),
                                             text.end());
      const auto count = static_cast<std::int64_t>(tokens.size());
      return model_->next(at::tensor(tokens, at::kLong).view({1, count}).to(device_), cache)
          .flatten()
          .to(at::kCPU, at::kFloat);
    };
    const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(1, length_ / 2));
    std::optional<KeyValueCache> cache(std::in_place, length_);
    const auto longest = static_cast<std::size_t>(length_);
    at::Tensor logits = read(text.size() > longest ? text.size() - kept : 0, *cache);
    Sampler sampler(request);
    std::string pending;
    std::int64_t made = 0;
    while (made < request.max_tokens) {
      if (!logits.isfinite().all().item<bool>()) {
        return Error{ErrorCode::failed, "the model's output is NaN"};
      }
      const Token token = sampler.choose(logits);
      if (token == codec_.end_of_text()) break;
      ++made;
      text.push_back(token);
      pending += codec_.decode(std::span(&token, 1));
      const std::size_t whole = complete_bytes(pending);
      if (whole > 0 && !take(std::string_view(pending).substr(0, whole))) return made;
      pending.erase(0, whole);
      if (made == request.max_tokens) break;
      if (cache->length() == cache->capacity()) {
        cache.emplace(length_);
        logits = read(text.size() - kept, *cache);
      } else {
        logits = read(text.size() - 1, *cache);
      }
    }
    if (!pending.empty()) take(pending);
    return made;
  });
}

}  // namespace tacho
