#pragma once

#include <span>
#include <string>

#include "infer/desk.h"
#include "infer/model.h"

namespace tacho::infer {

// Writes answers as JSON, the same digits for the same numbers, cached or not.
class AnswerText {
 public:
  explicit AnswerText(const ModelFacts& facts);
  [[nodiscard]] std::string operator()(std::span<const Desk::Answer> answers) const;

 private:
  std::string begin_;                // with the model's name
  std::vector<std::string> labels_;  // in quotes
};

// What GET /model tells.
Json model_json(const ModelFacts& facts);
// "lstm/3f9a1c…": what an answer says of its model.
std::string model_id(const ModelFacts& facts);

}  // namespace tacho::infer
