#include "serving/infer/answer_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tacho::infer {

std::string model_id(const ModelFacts& facts) {
  constexpr std::size_t kEnough = 16;
  return facts.name + "/" + facts.digest.substr(0, kEnough);
}

Json model_json(const ModelFacts& facts) {
  Json json = {{"model", model_id(facts)},
               {"name", facts.name},
               {"digest", facts.digest},
               {"run", facts.run},
               {"input", kInputKinds.of(facts.input)},
               {"input_shape", facts.shape}};
  if (facts.input != InputKind::documents) json["classes"] = facts.labels;
  json["computes"] = facts.computes;
  return json;
}

AnswerText::AnswerText(const ModelFacts& facts, Compat compat)
    : compat_(compat),
      begin_(compat == Compat::fastapi
                 ? R"({"predictions":[)"
                 : fmt::format(R"({{"model":{},"predictions":[)", json_text(model_id(facts)))) {
  for (const std::string& label : facts.labels) labels_.push_back(json_text(label));
}

std::string AnswerText::operator()(std::span<const RequestQueue::Answer> answers) const {
  std::string text = begin_;
  for (const RequestQueue::Answer& answer : answers) {
    if (text.size() > begin_.size()) text += ',';
    if (compat_ == Compat::fastapi) {
      add_scores(answer.prediction, text);
    } else {
      add(answer, text);
    }
  }
  text += "]}\n";
  return text;
}

void AnswerText::add(const RequestQueue::Answer& answer, std::string& text) const {
  const auto& [prediction, cached] = answer;
  const auto out = std::back_inserter(text);
  const std::size_t index = prediction.index();
  fmt::format_to(out, R"({{"label":{},"index":{},"probabilities":[)", labels_.at(index), index);
  for (std::size_t i = 0; i < prediction.probabilities.size(); ++i) {
    fmt::format_to(out, "{}{}", i == 0 ? "" : ",", prediction.probabilities[i]);
  }
  text += cached ? R"(],"cached":true})" : R"(],"cached":false})";
}

// All classes, the most probable one first.
void AnswerText::add_scores(const Prediction& prediction, std::string& text) const {
  std::vector<std::size_t> order(prediction.probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return prediction.probabilities[i]; });
  const auto out = std::back_inserter(text);
  for (const std::size_t i : order) {
    fmt::format_to(out, R"({}{{"label":{},"score":{}}})", i == order.front() ? "[" : ",",
                   labels_.at(i), prediction.probabilities[i]);
  }
  text += ']';
}

}  // namespace tacho::infer
