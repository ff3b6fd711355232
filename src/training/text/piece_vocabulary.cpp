#include "training/text/piece_vocabulary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_map>

#include "base/file.h"
#include "base/split.h"
#include "base/terminal.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

// Limit of PieceTrie. BERT's vocabulary has 0.2 MiB, the one for a hundred languages 1 MiB.
constexpr Bytes kLargest{15 << 20};

Error bad_line(std::size_t number, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("line {}: {}", number, what)};
}

}  // namespace

Result<PieceVocabulary> PieceVocabulary::read(const std::filesystem::path& file) {
  TACHO_TRY(lines, read_file(file));
  return parse(lines).in(file.string());
}

Result<PieceVocabulary> PieceVocabulary::parse(std::string_view lines) {
  if (static_cast<std::int64_t>(lines.size()) > kLargest.count) {
    return Error{ErrorCode::invalid,
                 fmt::format("larger than the limit of {} for a vocabulary", human(kLargest))};
  }
  PieceVocabulary vocabulary;
  std::unordered_map<std::string_view, std::size_t> line_of;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(lines)) {
    ++number;
    const std::string_view token = line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
    if (token.empty()) return bad_line(number, "empty (expected one token per line)");
    if (!is_utf8(token)) return bad_line(number, "not UTF-8");
    // Python would start a new line here and number all later tokens differently.
    if (token.find('\r') != std::string_view::npos) return bad_line(number, "contains a lone CR");
    const auto [at, added] = line_of.emplace(token, number);
    if (!added) {
      return bad_line(number, fmt::format("'{}' is on line {} already; remove one of them",
                                          printable(token), at->second));
    }
    vocabulary.tokens_.emplace_back(token);
  }
  for (std::size_t i = 0; i < kSpecialTokens.size(); ++i) {
    const auto at = line_of.find(kSpecialTokens[i]);
    if (at != line_of.end()) {
      vocabulary.special_[i] = static_cast<std::int32_t>(at->second - 1);
    } else if (kSpecialTokens[i] == name_of(SpecialToken::mask)) {
      vocabulary.special_[i] = vocabulary.special(SpecialToken::unknown);
    } else {
      return Error{ErrorCode::invalid,
                   fmt::format("{} is missing; a WordPiece vocabulary has lines for [PAD], [UNK], "
                               "[CLS] and [SEP], as in BERT's vocab.txt",
                               kSpecialTokens[i])};
    }
  }
  return vocabulary;
}

Result<void> PieceVocabulary::save(const std::filesystem::path& file) const {
  return write_file_atomically(file, fmt::format("{}\n", fmt::join(tokens_, "\n")));
}

}  // namespace tacho
