#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/sentences.h"

namespace tacho {

inline constexpr std::int32_t kPaddingToken = 0;
inline constexpr std::int32_t kUnknownToken = 1;

// The words (see lower_case_words) seen at least `min_count` times, the most frequent first, equals
// in alphabetical order: the same sentences give the same tokens on every machine.
class Vocabulary {
 public:
  Vocabulary(std::span<const LabelledSentence> sentences, std::int64_t min_count);
  // The one whose words() these are.
  explicit Vocabulary(std::span<const std::string> words);

  // In the order of their tokens.
  [[nodiscard]] std::vector<std::string> words() const;

  // The number of tokens, padding and unknown among them.
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] std::vector<std::int32_t> tokens(std::string_view sentence) const;

 private:
  std::unordered_map<std::string, std::int32_t> tokens_;
};

}  // namespace tacho
