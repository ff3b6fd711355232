#include "training/train/serving/language_model.h"

#include <fmt/format.h>

#include "base/confined_file.h"
#include "core/record/model_catalog.h"
#include "training/train/adapters.h"
#include "training/train/models/registry.h"
#include "training/train/serving/model_digest.h"
#include "training/train/serving/trained_model.h"
#include "training/train/weights.h"

namespace tacho {

Result<LanguageModel> load_language_model(const RunFolder& run, CheckpointKind kind) {
  TACHO_TRY(order, order_to_serve(run));
  const RunSpec& spec = order.spec;
  TACHO_TRY(info, find_model(spec.model));
  if (info->input != InputKind::documents) {
    return Error{
        ErrorCode::usage,
        fmt::format("{} is not a language model; serve it with 'tacho infer'", spec.model)};
  }
  TACHO_TRY(json, read_confined(run.path(), run.tokenizer()));
  TACHO_TRY(codec, TextCodec::parse(json).in(run.tokenizer().string()));
  TACHO_TRY(checkpoint, checkpoint_to_serve(run, kind));
  const std::int64_t length = spec.length.value_or(info->sample.length);
  const DecoderShape shape = decoder_shape(*info, spec);
  TACHO_TRY(made, make_model(spec.model, {.vocabulary = codec.size(),
                                          .classes = codec.size(),
                                          .length = length,
                                          .decoder = shape}));
  auto model = std::dynamic_pointer_cast<Decoder>(made);
  if (!model) broken_invariant("a language model that is no decoder");
  if (spec.lora_rank > 0) TACHO_CHECK(add_adapters(*model, spec));
  TACHO_CHECK(load_checkpoint(*model, checkpoint));
  merge_adapters(*model);
  Sha256 digest;
  digest.add(fmt::format("tacho language model 1\n{} {} {} {}\n", spec.model, length, shape.heads,
                         shape.kv_heads));
  digest.add(json);
  add_state(*model, digest);
  return LanguageModel{
      {spec.model, order.key, hex(digest.digest()), length}, std::move(codec), std::move(model)};
}

}  // namespace tacho
