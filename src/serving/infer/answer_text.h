#pragma once

#include <span>
#include <string>

#include "serving/infer/model.h"
#include "serving/infer/options.h"
#include "serving/infer/request_queue.h"

namespace tacho::infer {

// Writes answers as JSON, with the same digits for the same numbers, cached or not.
class AnswerText {
 public:
  AnswerText(const ModelFacts& facts, Compat compat);
  [[nodiscard]] std::string operator()(std::span<const RequestQueue::Answer> answers) const;

 private:
  void add(const RequestQueue::Answer& answer, std::string& text) const;
  void add_scores(const Prediction& prediction, std::string& text) const;

  Compat compat_;
  std::string begin_;                // with the model's name
  std::vector<std::string> labels_;  // in quotes
};

// The answer to GET /model.
Json model_json(const ModelFacts& facts);
// Such as "lstm/3f9a1c…"; part of each answer.
std::string model_id(const ModelFacts& facts);

}  // namespace tacho::infer
