#include "training/data/fetch/table_text.h"

#include "base/parse_number.h"
#include "base/terminal.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string clean_words(std::string_view text) {
  std::string words = printable(text);
  if (is_utf8(words)) return words;
  for (char& c : words) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  return words;
}

Result<std::int64_t> parse_count(std::string_view text) {
  const auto count = parse_number<std::int64_t>(text);
  if (count && !text.starts_with('-')) return *count;
  return Error{ErrorCode::invalid,
               fmt::format("'{}' is not a count", clean_words(text.substr(0, 40)))};
}

bool is_wordnet_id(std::string_view text) {
  return text.size() == 9 && text[0] == 'n' && all_digits(text.substr(1));
}

bool is_numbered(std::string_view name, std::string_view prefix, std::string_view suffix) {
  constexpr std::size_t kMaxDigits = 12;
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return name.size() <= kMaxDigits && all_digits(name);
}

}  // namespace tacho
