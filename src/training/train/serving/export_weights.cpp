#include "training/train/serving/export_weights.h"

#include "core/record/model_catalog.h"
#include "training/train/guarded.h"
#include "training/train/safetensors.h"
#include "training/train/serving/language_model.h"
#include "training/train/serving/trained_model.h"
#include "training/train/weights.h"

namespace tacho {
namespace {

constexpr std::string_view kPrefix = "model.";  // of the weights in a checkpoint

Result<void> copy_weights(const std::filesystem::path& checkpoint,
                          const std::filesystem::path& file) {
  TACHO_TRY(saved, read_safetensors(checkpoint).in(checkpoint.string()));
  TensorFile weights{{}, {{"format", "pt"}}};
  for (const auto& [name, tensor] : saved.tensors) {
    if (name.starts_with(kPrefix))
      weights.tensors.emplace_back(name.substr(kPrefix.size()), tensor);
  }
  return write_safetensors(file, weights);
}

}  // namespace

Result<void> export_weights(const RunFolder& run, CheckpointKind kind,
                            const std::filesystem::path& file) {
  return guarded([&]() -> Result<void> {
    TACHO_TRY(order, order_to_serve(run));
    TACHO_TRY(info, find_model(order.spec.model));
    if (info->input == InputKind::documents) {
      TACHO_TRY(loaded, load_language_model(run, kind));
      return save_weights(*loaded.model, file);
    }
    TACHO_TRY(checkpoint, checkpoint_to_serve(run, kind));
    return copy_weights(checkpoint, file);
  });
}

}  // namespace tacho
