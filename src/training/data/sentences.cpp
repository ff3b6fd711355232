#include "training/data/sentences.h"

#include <fmt/format.h>

#include <string_view>

#include "base/split.h"
#include "training/data/gz_file.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

constexpr std::string_view kGlueHeading = "sentence\tlabel";

// Unlike std::tolower and std::isspace, independent of the locale.
char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Of a lower-case character: whether it is part of a word, like all bytes of non-ASCII characters.
bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}

Result<LabelledSentence> parse_line(std::string_view line) {
  const auto bad = [](std::string_view what) {
    return Error{ErrorCode::invalid, fmt::format("{} (expected 'sentence<TAB>0 or 1')", what)};
  };
  if (!is_utf8(line)) return bad("not UTF-8");
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return bad("no label");
  const std::string_view label = line.substr(tab + 1);
  if (label != "0" && label != "1") return bad("the label is neither 0 nor 1");
  const std::string_view text = line.substr(0, tab);
  if (text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos) return bad("no sentence");
  return LabelledSentence{std::string(text), label == "1" ? 1 : 0};
}

}  // namespace

Result<std::vector<LabelledSentence>> read_sentences(const std::filesystem::path& file) {
  TACHO_TRY(content, read_content(file));
  std::vector<LabelledSentence> sentences;
  int number = 0;
  for (std::string_view line : lines_of(content)) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1 && line == kGlueHeading) continue;
    auto sentence = parse_line(line);
    if (!sentence.ok()) {
      return sentence.error().in(fmt::format("{}: line {}", file.string(), number));
    }
    sentences.push_back(*std::move(sentence));
  }
  if (sentences.empty()) {
    return Error{ErrorCode::invalid, fmt::format("{}: contains no sentence", file.string())};
  }
  return sentences;
}

std::vector<std::string> lower_case_words(std::string_view sentence) {
  std::vector<std::string> words;
  char previous = ' ';
  for (const char raw : sentence) {
    const char c = ascii_lower(raw);
    if (!is_space(c)) {
      const bool continues = in_word(c) ? in_word(previous) : c == previous;
      if (!continues) words.emplace_back();
      words.back() += c;
    }
    previous = c;
  }
  return words;
}

}  // namespace tacho
