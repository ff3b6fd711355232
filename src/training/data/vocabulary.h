#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "training/data/sentences.h"

namespace tacho {

inline constexpr std::int32_t kPaddingToken = 0;
inline constexpr std::int32_t kUnknownToken = 1;

// The words (see lower_case_words) that occur at least `min_count` times, most frequent first, ties
// in alphabetical order: the same sentences give the same tokens on every machine.
class Vocabulary {
 public:
  Vocabulary(std::span<const LabelledSentence> sentences, std::int64_t min_count);
  // Restores a vocabulary from its words().
  explicit Vocabulary(std::span<const std::string> words);

  // Ordered by token.
  [[nodiscard]] std::vector<std::string> words() const;

  // The number of tokens, including padding and unknown.
  [[nodiscard]] std::int64_t size() const;
  // Returns the tokens of the first `max_length` words.
  [[nodiscard]] std::vector<std::int32_t> tokens(std::string_view sentence,
                                                 std::optional<std::int64_t> max_length = {}) const;

 private:
  std::unordered_map<std::string, std::int32_t> tokens_;
};

}  // namespace tacho
