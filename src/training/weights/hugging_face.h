#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// What the JSON files of a Hugging Face folder say about a text classifier.
struct HuggingFaceModel {
  std::string model;                // Tacho's name: bert_base or distilbert
  std::int64_t vocabulary = 30522;  // word pieces
  std::vector<std::string> labels;  // one per class
  std::int64_t max_tokens = 512;
};

// Reads config.json and, if it exists, tokenizer_config.json. Refuses models of another size than
// Tacho's, cased tokenizers, and tasks other than one class per text, each with the values that
// differ.
Result<HuggingFaceModel> read_hugging_face(const std::filesystem::path& folder);

// True if the folder has a config.json.
bool is_hugging_face(const std::filesystem::path& folder);

// Refuses a folder whose config.json is that of another model.
Result<void> check_is_model(const std::filesystem::path& folder, std::string_view model);

}  // namespace tacho
