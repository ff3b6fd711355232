#include "base/shell_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tacho {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads a command line word by word.
class WordReader {
 public:
  explicit WordReader(std::string_view line) : line_(line) {}

  bool skip_blanks() {
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
    return at_ < line_.size();
  }

  Result<std::string> word() {
    std::string word;
    while (at_ < line_.size() && !is_blank(line_[at_])) {
      const char c = line_[at_];
      if (c == '\'' || c == '"') {
        TACHO_CHECK(quoted_part(c, word));
      } else if (c == '\\') {
        if (++at_ == line_.size()) return wrong("ends with a backslash");
        word += line_[at_++];
      } else {
        word += c;
        ++at_;
      }
    }
    return word;
  }

 private:
  Result<void> quoted_part(char quote, std::string& word) {
    const std::size_t opened = at_++;
    for (; at_ < line_.size(); ++at_) {
      const char c = line_[at_];
      if (c == quote) {
        ++at_;
        return {};
      }
      // Within "…" a backslash is literal unless the next character is special to a shell.
      const bool escapes =
          quote == '"' && c == '\\' && at_ + 1 < line_.size() &&
          std::string_view("\"\\$`").find(line_[at_ + 1]) != std::string_view::npos;
      if (escapes) ++at_;
      word += line_[at_];
    }
    return wrong(fmt::format("the {} at position {} is never closed", quote, opened + 1));
  }

  [[nodiscard]] Error wrong(const std::string& what) const {
    return {ErrorCode::usage, fmt::format("'{}': {}", line_, what)};
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view line) {
  WordReader reader(line);
  std::vector<std::string> words;
  while (reader.skip_blanks()) {
    TACHO_TRY(word, reader.word());
    words.push_back(std::move(word));
  }
  return words;
}

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string shell_quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_quoted(word);
  return line;
}

}  // namespace tacho
