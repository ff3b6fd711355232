#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "training/text/words.h"

namespace tacho {

// Counts the words of the added texts. Special tokens are not counted, nor words so long that they
// are unknown anyway.
class WordCounts final : private WordSink {
 public:
  void add(std::string_view text) { split_words(text, *this); }

  [[nodiscard]] const std::unordered_map<std::string, std::int64_t>& counts() const {
    return counts_;
  }

 private:
  bool word(std::string_view word, std::size_t characters) override {
    if (characters > kLongestWord) return true;
    word_ = word;
    ++counts_[word_];
    return true;
  }
  bool special(SpecialToken /*token*/) override { return true; }

  std::unordered_map<std::string, std::int64_t> counts_;
  std::string word_;  // reused: a look-up needs a string, and allocating one each time is slow
};

}  // namespace tacho
