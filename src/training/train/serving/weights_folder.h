#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "training/train/serving/input_facts.h"

namespace tacho {

// A folder with weights that no run of Tacho wrote, and what serving them needs to know: a Hugging
// Face folder (config.json, vocab.txt), or one with a model.json (docs/infer.md).
struct WeightsFolder {
  std::string model;
  InputFacts facts;                  // a vocabulary of 0 tokens: as many as the file has
  std::filesystem::path weights;     // a file or folder for open_weights()
  std::filesystem::path vocabulary;  // of models that read word pieces
  std::int64_t max_tokens = 0;       // of a text
};

// True unless the folder is that of a run.
bool is_weights_folder(const std::filesystem::path& folder);

// Refuses a folder whose model is unknown, and says what to add.
Result<WeightsFolder> read_weights_folder(const std::filesystem::path& folder);

}  // namespace tacho
