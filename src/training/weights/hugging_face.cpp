#include "training/weights/hugging_face.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/json_object.h"
#include "base/terminal.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kMostConfigBytes{16 << 20};
constexpr std::int64_t kPositions = 512;
constexpr std::size_t kMostLabels = 100'000;

struct Expected {
  std::string_view key;
  Json value;
};

struct Family {
  std::string_view type;  // model_type in config.json
  std::string_view model;
  std::vector<Expected> values;  // also Hugging Face's defaults, so a file may omit them
};

std::vector<Family> families() {
  return {{"bert",
           "bert_base",
           {{"hidden_size", 768},
            {"num_hidden_layers", 12},
            {"num_attention_heads", 12},
            {"intermediate_size", 3072},
            {"max_position_embeddings", kPositions},
            {"type_vocab_size", 2},
            {"hidden_act", "gelu"},
            {"layer_norm_eps", 1e-12},
            {"position_embedding_type", "absolute"}}},
          {"distilbert",
           "distilbert",
           {{"dim", 768},
            {"n_layers", 6},
            {"n_heads", 12},
            {"hidden_dim", 3072},
            {"max_position_embeddings", kPositions},
            {"activation", "gelu"}}}};
}

Error wrong_config(std::string what) { return {ErrorCode::invalid, std::move(what)}; }

Result<Json> read_object(const fs::path& path) {
  TACHO_TRY(text, read_file(path, kMostConfigBytes));
  TACHO_TRY(json, parse_json(text).in(path.string()));
  if (!json.is_object()) return wrong_config(path.string() + ": not a JSON object");
  return json;
}

// The value, or null.
Json value_of(const Json& json, std::string_view key) {
  const auto at = json.find(key);
  return at == json.end() ? Json() : *at;
}

Result<Family> family_of(const Json& config) {
  const Json type = value_of(config, "model_type");
  for (Family& family : families()) {
    if (type == family.type) return family;
  }
  return wrong_config(
      fmt::format("model_type is {}; only bert and distilbert are read. Other models need a "
                  "model.json, see 'tacho help infer'",
                  type.is_null() ? "missing" : printable(json_text(type)).substr(0, 100)));
}

Result<void> check_values(const Json& config, const Family& family) {
  std::vector<std::string> wrong;
  for (const Expected& expected : family.values) {
    const Json value = value_of(config, expected.key);
    if (value.is_null() || value == expected.value) continue;
    wrong.push_back(fmt::format("{} is {:.60}, not {}", expected.key, printable(json_text(value)),
                                json_text(expected.value)));
  }
  if (wrong.empty()) return {};
  return wrong_config(fmt::format("not a {}: {}", family.model, fmt::join(wrong, ", ")));
}

Result<std::int64_t> count_of(const Json& config, std::string_view key, std::int64_t fallback) {
  const Json value = value_of(config, key);
  if (value.is_null()) return fallback;
  constexpr std::int64_t kMost = 10'000'000;
  if (!value.is_number_integer() || value < 1 || value > kMost) {
    return wrong_config(fmt::format("{} is not a number from 1 to {}", key, kMost));
  }
  return value.get<std::int64_t>();
}

Result<std::vector<std::string>> labels_of(const Json& config) {
  const Json names = value_of(config, "id2label");
  std::vector<std::string> labels;
  if (names.is_null()) {
    TACHO_TRY(count, count_of(config, "num_labels", 2));
    if (count > static_cast<std::int64_t>(kMostLabels)) return wrong_config("too many labels");
    for (std::int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
    return labels;
  }
  if (!names.is_object() || names.empty() || names.size() > kMostLabels) {
    return wrong_config("id2label must map the number of each class to its label");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Json label = value_of(names, std::to_string(i));
    if (!label.is_string()) return wrong_config(fmt::format("id2label has no label for {}", i));
    labels.push_back(label.get<std::string>());
  }
  return labels;
}

// The tokenizer is BERT's uncased one.
Result<std::int64_t> read_tokenizer(const fs::path& folder) {
  const fs::path path = folder / "tokenizer_config.json";
  std::error_code unreadable;
  if (!fs::exists(path, unreadable)) return kPositions;
  TACHO_TRY(json, read_object(path));
  for (const char* key : {"do_lower_case", "strip_accents", "tokenize_chinese_chars"}) {
    if (value_of(json, key) == false) {
      return wrong_config(fmt::format(
          "{}: {} is false; only uncased tokenizers like bert-base-uncased's are supported",
          path.string(), key));
    }
  }
  const Json length = value_of(json, "model_max_length");  // 1e30 if there is none
  if (!length.is_number() || length < 2 || length > kPositions) return kPositions;
  return length.get<std::int64_t>();
}

Result<HuggingFaceModel> model_of(const Json& config) {
  TACHO_TRY(family, family_of(config));
  TACHO_CHECK(check_values(config, family));
  const Json task = value_of(config, "problem_type");
  if (!task.is_null() && task != "single_label_classification") {
    return wrong_config(
        fmt::format("problem_type is {:.60}; only single_label_classification is supported",
                    printable(json_text(task))));
  }
  HuggingFaceModel model{.model = std::string(family.model)};
  TACHO_TRY(vocabulary, count_of(config, "vocab_size", model.vocabulary));
  model.vocabulary = vocabulary;
  TACHO_TRY(labels, labels_of(config));
  model.labels = std::move(labels);
  return model;
}

}  // namespace

bool is_hugging_face(const fs::path& folder) {
  std::error_code unreadable;
  return fs::exists(folder / "config.json", unreadable);
}

Result<HuggingFaceModel> read_hugging_face(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  TACHO_TRY(config, read_object(path));
  TACHO_TRY(model, model_of(config).in(path.string()));
  TACHO_TRY(tokens, read_tokenizer(folder));
  model.max_tokens = tokens;
  return model;
}

Result<void> check_is_model(const fs::path& folder, std::string_view model) {
  const fs::path path = folder / "config.json";
  TACHO_TRY(config, read_object(path));
  TACHO_TRY(family, family_of(config).in(path.string()));
  if (family.model != model) {
    return wrong_config(fmt::format("{}: model_type is {}, which is {} here, not {}", path.string(),
                                    family.type, family.model, model));
  }
  return check_values(config, family).in(path.string());
}

}  // namespace tacho
