#include "training/train/serving/weights_folder.h"

#include <fmt/format.h>

#include "base/json_object.h"
#include "base/split.h"
#include "core/record/model_catalog.h"
#include "training/data/text_data.h"
#include "training/train/models/registry.h"
#include "training/weights/hugging_face.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kMostBytes{16 << 20};
constexpr std::int64_t kMostTokens = 512;  // positions of BERT

Error wrong_folder(std::string what) { return {ErrorCode::invalid, std::move(what)}; }

// The folder may come from anywhere: its model.json must not name files elsewhere, whose content
// would be served as labels.
Result<fs::path> file_in(const fs::path& folder, const std::string& name, std::string_view field) {
  if (name.empty() || name == ".." || name.find('/') != std::string::npos) {
    return wrong_folder(
        fmt::format("'{}' must be the name of a file in the same folder, not '{}'", field, name));
  }
  return folder / name;
}

// A list of labels, or the name of a file with one per line.
Result<std::vector<std::string>> read_label_list(const Json* value, const fs::path& folder) {
  std::vector<std::string> labels;
  if (value->is_string()) {
    TACHO_TRY(path, file_in(folder, value->get<std::string>(), "labels"));
    TACHO_TRY(text, read_file(path, kMostBytes));
    for (std::string_view line : lines_of(text)) {
      if (line.ends_with('\r')) line.remove_suffix(1);
      labels.emplace_back(line);
    }
  } else if (value->is_array()) {
    for (const Json& label : *value) {
      if (!label.is_string()) return wrong_folder("'labels' must contain only strings");
      labels.push_back(label.get<std::string>());
    }
  }
  if (labels.empty()) {
    return wrong_folder("'labels' must be a list of strings, or a file with one label per line");
  }
  return labels;
}

Result<void> read_scale(const std::vector<double>& values, std::string_view name, bool positive,
                        std::array<float, 3>& out) {
  if (values.empty()) return {};
  if (values.size() != out.size()) {
    return wrong_folder(fmt::format("'{}' must have three numbers", name));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (positive && !(values[i] > 0)) {
      return wrong_folder(fmt::format("'{}' must be positive", name));
    }
    out.at(i) = static_cast<float>(values[i]);
  }
  return {};
}

Result<void> check_image(const InputShape& shape) {
  constexpr std::int64_t kMostPixels = 4096;
  const bool fits = (shape.channels == 1 || shape.channels == 3) && shape.height >= 1 &&
                    shape.width >= 1 && shape.height <= kMostPixels && shape.width <= kMostPixels;
  if (fits) return {};
  return wrong_folder(fmt::format(
      "'channels' must be 1 or 3, 'height' and 'width' numbers from 1 to {}", kMostPixels));
}

Result<WeightsFolder> read_model_json(const Json& json, const fs::path& folder) {
  WeightsFolder out{.weights = folder};
  JsonObject object(json, "model.json");
  std::string weights;
  std::string vocabulary;
  std::vector<double> mean;
  std::vector<double> deviation;
  object.read("model", out.model);
  object.read_optional("weights", weights);
  const Json* labels = object.part("labels");
  const auto info = find_model(out.model);
  if (info.ok()) out.facts.shape = default_shape(**info);
  object.read_optional("channels", out.facts.shape.channels);
  object.read_optional("height", out.facts.shape.height);
  object.read_optional("width", out.facts.shape.width);
  object.read_optional("mean", mean);
  object.read_optional("deviation", deviation);
  object.read_optional("vocabulary", vocabulary);
  out.max_tokens = kMaxPieces;
  object.read_optional("length", out.max_tokens);
  TACHO_CHECK(object.finish());
  if (!info.ok()) return info.error();
  TACHO_TRY(names, read_label_list(labels, folder));
  out.facts.labels = std::move(names);
  if (!weights.empty()) {
    TACHO_TRY(path, file_in(folder, weights, "weights"));
    out.weights = path;
  }
  if ((*info)->input == InputKind::image) {
    TACHO_CHECK(check_image(out.facts.shape));
    out.facts.normalisation = kImageNetNormalisation;
    TACHO_CHECK(read_scale(mean, "mean", false, out.facts.normalisation.mean));
    TACHO_CHECK(read_scale(deviation, "deviation", true, out.facts.normalisation.deviation));
    return out;
  }
  if ((*info)->tokens == TokenKind::word) {
    return wrong_folder(fmt::format(
        "{} numbers words as its training did; it can only be served from a run", out.model));
  }
  if (out.max_tokens < 2 || out.max_tokens > kMostTokens) {
    return wrong_folder(fmt::format("'length' must be a number from 2 to {}", kMostTokens));
  }
  out.facts.shape.vocabulary = 0;
  TACHO_TRY(path, file_in(folder, vocabulary.empty() ? "vocab.txt" : vocabulary, "vocabulary"));
  out.vocabulary = path;
  return out;
}

Result<WeightsFolder> of_hugging_face(const fs::path& folder) {
  TACHO_TRY(config, read_hugging_face(folder));
  WeightsFolder out{.model = config.model, .weights = folder, .vocabulary = folder / "vocab.txt"};
  out.facts.labels = std::move(config.labels);
  out.facts.shape.vocabulary = config.vocabulary;
  out.max_tokens = config.max_tokens;
  return out;
}

}  // namespace

bool is_weights_folder(const fs::path& folder) {
  std::error_code unreadable;
  return !fs::exists(RunFolder(folder).order(), unreadable);
}

Result<WeightsFolder> read_weights_folder(const fs::path& folder) {
  const fs::path file = folder / "model.json";
  std::error_code unreadable;
  const auto read = [&]() -> Result<WeightsFolder> {
    if (!fs::exists(file, unreadable)) {
      if (is_hugging_face(folder)) return of_hugging_face(folder);
      return Error{ErrorCode::not_found,
                   fmt::format("{}: the model is unknown; add a model.json such as "
                               R"({{"model": "resnet50", "labels": ["cat", "dog"]}})",
                               folder.string())};
    }
    TACHO_TRY(text, read_file(file, kMostBytes));
    TACHO_TRY(json, parse_json(text).in(file.string()));
    return read_model_json(json, folder).in(folder.string());
  };
  TACHO_TRY(out, read());
  out.facts.shape.classes = static_cast<std::int64_t>(out.facts.labels.size());
  return out;
}

}  // namespace tacho
