#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/split.h"
#include "training/text/byte_pairs.h"
#include "training/text/utf8.h"

// The files of byte-level BPE tokenizers. They show each byte as a printable character: most bytes
// of Latin-1 as themselves, the others as the characters from U+0100 on.
namespace tacho {
namespace {

using Token = BytePairs::Token;

constexpr std::int64_t kMostTokens = 1'000'000;

Error unreadable(std::string message) { return {ErrorCode::invalid, std::move(message)}; }

constexpr bool shows_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
         (byte >= 0xAE && byte <= 0xFF);
}

constexpr std::array<char32_t, 256> kShown = [] {
  std::array<char32_t, 256> shown{};
  char32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    shown[static_cast<std::size_t>(byte)] =
        shows_itself(byte) ? static_cast<char32_t>(byte) : next++;
  }
  return shown;
}();

std::optional<std::string> bytes_of(std::string_view shown) {
  std::string bytes;
  while (!shown.empty()) {
    const auto [c, length] = first_character(shown);
    const auto at = std::ranges::find(kShown, c);
    if (at == kShown.end()) return std::nullopt;
    bytes.push_back(static_cast<char>(at - kShown.begin()));
    shown.remove_prefix(length);
  }
  return bytes;
}

std::string shown_of(std::string_view bytes) {
  std::string shown;
  for (const char byte : bytes) append_utf8(shown, kShown[static_cast<unsigned char>(byte)]);
  return shown;
}

// Members of unchecked JSON: null if one is missing.
const Json& member(const Json& object, std::string_view key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto at = object.find(key);
  return at == object.end() ? kNull : *at;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool is_true(const Json& value, bool if_missing) {
  return value.is_boolean() ? value.get<bool>() : if_missing;
}

Result<Token> number_of(const Json& value) {
  if (value.is_number_integer() && value >= 0 && value < kMostTokens) return value.get<Token>();
  return unreadable("the number of a token is not from 0 to 999,999");
}

class Reader {
 public:
  Result<void> read_specials(const Json& added) {
    for (const Json& one : added) {
      TACHO_TRY(token, number_of(member(one, "id")));
      specials_.push_back({token, text_of(member(one, "content"))});
    }
    return {};
  }

  Result<void> read_vocabulary(const Json& vocabulary) {
    if (!vocabulary.is_object() || vocabulary.empty()) return unreadable("the vocabulary is empty");
    for (const auto& [shown, value] : vocabulary.items()) {
      TACHO_TRY(token, number_of(value));
      const auto bytes = bytes_of(shown);
      if (!bytes || bytes->empty())
        return unreadable(fmt::format("token {} is not in bytes", token));
      grow(token) = *bytes;
    }
    for (const auto& special : specials_) grow(special.token).clear();
    return {};
  }

  Result<void> read_merge(std::string_view left, std::string_view right) {
    TACHO_TRY(first, find(left));
    TACHO_TRY(second, find(right));
    parts_.merges.push_back({first, second});
    return {};
  }

  // A vocab.json does not tell which tokens are special.
  void take_end_of_text() {
    for (std::size_t i = 0; i < parts_.tokens.size(); ++i) {
      if (parts_.tokens[i] != "<|endoftext|>") continue;
      specials_.push_back({static_cast<Token>(i), parts_.tokens[i]});
      parts_.tokens[i].clear();
    }
  }

  Result<BytePairs> finish(PieceRule rule, bool keeps_words) {
    parts_.rule = rule;
    parts_.keeps_words = keeps_words;
    parts_.specials = std::move(specials_);
    return BytePairs::of(std::move(parts_));
  }

 private:
  std::string& grow(Token token) {
    const auto index = static_cast<std::size_t>(token);
    if (index >= parts_.tokens.size()) parts_.tokens.resize(index + 1);
    return parts_.tokens[index];
  }

  Result<Token> find(std::string_view shown) {
    if (numbers_.empty()) {
      for (std::size_t i = 0; i < parts_.tokens.size(); ++i) {
        numbers_.emplace(parts_.tokens[i], static_cast<Token>(i));
      }
    }
    const auto bytes = bytes_of(shown);
    const auto at = bytes && !bytes->empty() ? numbers_.find(*bytes) : numbers_.end();
    if (at != numbers_.end()) return at->second;
    return unreadable(fmt::format("a merge names '{:.40}', which is not in the vocabulary", shown));
  }

  BytePairs::Parts parts_;
  std::vector<BytePairs::Special> specials_;
  std::unordered_map<std::string, Token> numbers_;
};

Result<PieceRule> rule_of(const Json& splitter) {
  const std::string type = text_of(member(splitter, "type"));
  const auto unknown = [](std::string_view what) {
    return unreadable(
        fmt::format("pre_tokenizer {:.80}: supported are those of GPT-2 and Llama 3", what));
  };
  if (type == "ByteLevel" && !is_true(member(splitter, "add_prefix_space"), false) &&
      is_true(member(splitter, "use_regex"), true)) {
    return PieceRule::gpt2;
  }
  if (type != "Sequence") return unknown(type);
  const Json& steps = member(splitter, "pretokenizers");
  if (!steps.is_array() || steps.size() != 2 || is_true(member(steps[1], "use_regex"), true) ||
      text_of(member(steps[1], "type")) != "ByteLevel") {
    return unknown("of these steps");
  }
  const std::string expression = text_of(member(member(steps[0], "pattern"), "Regex"));
  if (expression == expression_of(PieceRule::llama3)) return PieceRule::llama3;
  return unknown(expression);
}

Json splitter_of(PieceRule rule) {
  Json bytes = {{"type", "ByteLevel"},
                {"add_prefix_space", false},
                {"trim_offsets", true},
                {"use_regex", rule == PieceRule::gpt2}};
  if (rule == PieceRule::gpt2) return bytes;
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", expression_of(rule)}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  return {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}};
}

}  // namespace

Result<BytePairs> BytePairs::of_tokenizer(const Json& json) {
  const Json& model = member(json, "model");
  if (text_of(member(model, "type")) != "BPE") {
    return unreadable(fmt::format("a tokenizer of type '{:.40}'; supported is byte-level BPE",
                                  text_of(member(model, "type"))));
  }
  if (!member(json, "normalizer").is_null()) {
    return unreadable("a tokenizer with a normalizer is not supported");
  }
  TACHO_TRY(rule, rule_of(member(json, "pre_tokenizer")));
  Reader reader;
  TACHO_CHECK(reader.read_specials(member(json, "added_tokens")));
  TACHO_CHECK(reader.read_vocabulary(member(model, "vocab")));
  for (const Json& merge : member(model, "merges")) {
    const bool pair = merge.is_array() && merge.size() == 2;
    const std::string both = text_of(merge);
    const std::size_t gap = both.find(' ');
    if (!pair && gap == std::string::npos) return unreadable("a merge is not a pair of tokens");
    TACHO_CHECK(pair ? reader.read_merge(text_of(merge[0]), text_of(merge[1]))
                     : reader.read_merge(both.substr(0, gap), both.substr(gap + 1)));
  }
  return reader.finish(rule, is_true(member(model, "ignore_merges"), false));
}

Result<BytePairs> BytePairs::of_vocabulary(std::string_view vocabulary, std::string_view merges) {
  TACHO_TRY(json, parse_json(vocabulary).in("vocab.json"));
  Reader reader;
  TACHO_CHECK(reader.read_vocabulary(json).in("vocab.json"));
  for (std::string_view line : lines_of(merges)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with("#version")) continue;
    const std::size_t gap = line.find(' ');
    if (gap == std::string_view::npos)
      return unreadable("merges.txt: a line is not a pair of tokens");
    TACHO_CHECK(reader.read_merge(line.substr(0, gap), line.substr(gap + 1)).in("merges.txt"));
  }
  reader.take_end_of_text();
  return reader.finish(PieceRule::gpt2, false);
}

Json BytePairs::to_json() const {
  Json added = Json::array();
  std::vector<Special> specials = parts_.specials;
  std::ranges::sort(specials, {}, &Special::token);
  for (const Special& special : specials) {
    added.push_back({{"id", special.token},
                     {"content", special.text},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  Json vocabulary = Json::object();
  // Appended directly: adding by name would compare each name with all before.
  auto& members = vocabulary.get_ref<Json::object_t&>();
  for (std::size_t i = 0; i < parts_.tokens.size(); ++i) {
    if (!parts_.tokens[i].empty()) members.emplace_back(shown_of(parts_.tokens[i]), i);
  }
  Json merges = Json::array();
  for (const TokenPair& pair : parts_.merges) {
    merges.push_back(shown_of(parts_.tokens[static_cast<std::size_t>(pair.left)]) + " " +
                     shown_of(parts_.tokens[static_cast<std::size_t>(pair.right)]));
  }
  const Json bytes = splitter_of(PieceRule::gpt2);
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer", splitter_of(parts_.rule)},
          {"post_processor", nullptr},
          {"decoder", bytes},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"ignore_merges", parts_.keeps_words},
            {"vocab", vocabulary},
            {"merges", merges}}}};
}

}  // namespace tacho
