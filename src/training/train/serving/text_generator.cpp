#include "training/train/serving/text_generator.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/confined_file.h"
#include "base/utf8_tail.h"
#include "core/record/model_catalog.h"
#include "training/train/cpu_paths.h"
#include "training/train/guarded.h"
#include "training/train/models/registry.h"
#include "training/train/serving/model_digest.h"
#include "training/train/serving/trained_model.h"
#include "training/train/weights.h"

namespace tacho {

Result<TextGenerator> TextGenerator::load(const RunFolder& run, CheckpointKind kind, Device where,
                                          const ComputePaths& paths) {
  return guarded([&]() -> Result<TextGenerator> {
    TACHO_TRY(order, order_to_serve(run));
    TACHO_TRY(info, find_model(order.spec.model));
    if (info->input != InputKind::documents) {
      return Error{
          ErrorCode::usage,
          fmt::format("{} is not a language model; serve it with 'tacho infer'", order.spec.model)};
    }
    TACHO_TRY(json, read_confined(run.path(), run.tokenizer()));
    TACHO_TRY(codec, TextCodec::parse(json).in(run.tokenizer().string()));
    TACHO_TRY(checkpoint, checkpoint_to_serve(run, kind));
    const std::int64_t length = order.spec.length.value_or(info->sample.length);
    const DecoderShape shape = decoder_shape(*info, order.spec);
    TACHO_TRY(made, make_model(order.spec.model, {.vocabulary = codec.size(),
                                                  .classes = codec.size(),
                                                  .length = length,
                                                  .decoder = shape}));
    auto model = std::dynamic_pointer_cast<Decoder>(made);
    if (!model) broken_invariant("a language model that is no decoder");
    TACHO_CHECK(load_checkpoint(*model, checkpoint));
    const at::Device device(where == Device::cuda ? at::kCUDA : at::kCPU);
    Sha256 digest;
    digest.add(fmt::format("tacho language model 1\n{} {} {} {}\n", order.spec.model, length,
                           shape.heads, shape.kv_heads));
    digest.add(json);
    add_state(*model, digest);
    const torch::NoGradGuard no_grad;
    model->to(device);
    model->eval();
    take_path(paths, model->workload());
    return TextGenerator({.model = order.spec.model,
                          .run = order.key,
                          .digest = hex(digest.digest()),
                          .length = length},
                         std::move(codec), std::move(model), device);
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
