#pragma once

#include <span>

#include "core/record/model_catalog.h"

namespace tacho {

// The models that classify images and sentences: those whose training Tacho predicts. The others of
// the catalog are language models, see predict/decoder.
std::span<const ModelInfo> classifier_catalog();

}  // namespace tacho
