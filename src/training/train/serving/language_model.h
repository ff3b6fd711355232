#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "core/record/run_spec.h"
#include "training/text/text_codec.h"
#include "training/train/models/decoder.h"

namespace tacho {

// The language model of a run, on the CPU, with its tokenizer.
struct LanguageModel {
  struct Facts {
    std::string model;
    std::string run;          // its key
    std::string digest;       // of everything that texts depend on; 64 hexadecimal digits
    std::int64_t length = 0;  // most tokens that the model reads
  };
  Facts facts;
  TextCodec codec;
  std::shared_ptr<Decoder> model;
};

// Loads a checkpoint of a run; adapters are merged into the weights.
Result<LanguageModel> load_language_model(const RunFolder& run, CheckpointKind checkpoint);

}  // namespace tacho
