#include "training/train/serving/input_facts.h"

#include <fmt/format.h>

#include "base/confined_file.h"
#include "base/json_object.h"
#include "training/train/input/batch_source.h"

namespace tacho {
namespace {

Result<std::vector<std::string>> read_words(const Json* list, std::string_view name) {
  std::vector<std::string> words;
  if (list == nullptr) return words;
  if (!list->is_array()) return Error{ErrorCode::invalid, fmt::format("'{}' is not a list", name)};
  for (const Json& word : *list) {
    if (!word.is_string()) {
      return Error{ErrorCode::invalid, fmt::format("'{}' must contain only strings", name)};
    }
    words.push_back(word.get<std::string>());
  }
  return words;
}

Result<std::array<float, 3>> read_levels(const std::vector<double>& values, std::string_view name) {
  std::array<float, 3> levels{};
  if (values.size() != levels.size()) {
    return Error{ErrorCode::invalid, fmt::format("'{}' must have three numbers", name)};
  }
  for (std::size_t i = 0; i < levels.size(); ++i) levels.at(i) = static_cast<float>(values[i]);
  return levels;
}

Result<InputFacts> parse_facts(const Json& json) {
  InputFacts facts;
  JsonObject object(json, "input");
  object.read("channels", facts.shape.channels);
  object.read("height", facts.shape.height);
  object.read("width", facts.shape.width);
  object.read("vocabulary", facts.shape.vocabulary);
  object.read("classes", facts.shape.classes);
  std::vector<double> mean;
  std::vector<double> deviation;
  object.read("mean", mean);
  object.read("deviation", deviation);
  const Json* labels = object.part("labels");
  const Json* words = object.part("words", false);
  TACHO_CHECK(object.finish());
  TACHO_TRY(read_labels, read_words(labels, "labels"));
  TACHO_TRY(read_vocabulary, read_words(words, "words"));
  TACHO_TRY(read_mean, read_levels(mean, "mean"));
  TACHO_TRY(read_deviation, read_levels(deviation, "deviation"));
  facts.labels = std::move(read_labels);
  facts.words = std::move(read_vocabulary);
  facts.normalisation = {read_mean, read_deviation};
  if (facts.shape.classes != static_cast<std::int64_t>(facts.labels.size())) {
    return Error{ErrorCode::invalid, "there must be one label per class"};
  }
  return facts;
}

}  // namespace

std::vector<std::string> class_labels(std::span<const std::string_view> names,
                                      std::int64_t classes) {
  std::vector<std::string> labels(names.begin(), names.end());
  if (static_cast<std::int64_t>(labels.size()) == classes) return labels;
  labels.clear();
  for (std::int64_t i = 0; i < classes; ++i) labels.push_back(std::to_string(i));
  return labels;
}

Result<void> keep_input_facts(const InputFacts& facts, const RunFolder& run) {
  Json json = {{"channels", facts.shape.channels}, {"height", facts.shape.height},
               {"width", facts.shape.width},       {"vocabulary", facts.shape.vocabulary},
               {"classes", facts.shape.classes},   {"labels", facts.labels},
               {"mean", facts.normalisation.mean}, {"deviation", facts.normalisation.deviation}};
  if (!facts.words.empty()) json["words"] = facts.words;
  TACHO_CHECK(make_folders(run.path()));
  return write_file_atomically(run.input(), json_text(json) + "\n");
}

Result<InputFacts> read_input_facts(const RunFolder& run) {
  TACHO_TRY(text, read_confined(run.path(), run.input()));
  TACHO_TRY(json, parse_json(text).in(run.input().string()));
  return parse_facts(json).in(run.input().string());
}

Result<InputFacts> find_input_facts(const RunSpec& spec, const std::filesystem::path& tacho_home,
                                    const RunFolder& run) {
  std::error_code unreadable;  // reported by whatever reads it
  if (std::filesystem::exists(run.input(), unreadable)) return read_input_facts(run);
  TACHO_TRY(input, open_input(spec, tacho_home, run).in("the model's training data is needed"));
  return input.facts;
}

}  // namespace tacho
