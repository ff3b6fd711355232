#include "serving/infer/answer_text.h"

#include <fmt/format.h>

#include <iterator>

namespace tacho::infer {

std::string model_id(const ModelFacts& facts) {
  constexpr std::size_t kEnough = 16;
  return facts.name + "/" + facts.digest.substr(0, kEnough);
}

Json model_json(const ModelFacts& facts) {
  return {{"model", model_id(facts)},
          {"name", facts.name},
          {"digest", facts.digest},
          {"run", facts.run},
          {"input", kInputKinds.of(facts.input)},
          {"input_shape", facts.shape},
          {"classes", facts.labels},
          {"computes", facts.computes}};
}

AnswerText::AnswerText(const ModelFacts& facts)
    : begin_(fmt::format(R"({{"model":{},"predictions":[)", json_text(model_id(facts)))) {
  for (const std::string& label : facts.labels) labels_.push_back(json_text(label));
}

std::string AnswerText::operator()(std::span<const RequestQueue::Answer> answers) const {
  std::string text = begin_;
  const auto out = std::back_inserter(text);
  for (const auto& [prediction, cached] : answers) {
    if (text.size() > begin_.size()) text += ',';
    const std::size_t index = prediction.index();
    fmt::format_to(out, R"({{"label":{},"index":{},"probabilities":[)", labels_.at(index), index);
    for (std::size_t i = 0; i < prediction.probabilities.size(); ++i) {
      fmt::format_to(out, "{}{}", i == 0 ? "" : ",", prediction.probabilities[i]);
    }
    text += cached ? R"(],"cached":true})" : R"(],"cached":false})";
  }
  text += "]}\n";
  return text;
}

}  // namespace tacho::infer
