#include "training/data/vocabulary.h"

#include <algorithm>
#include <utility>

namespace tacho {
namespace {

constexpr std::int32_t kFirstWordToken = kUnknownToken + 1;

}  // namespace

Vocabulary::Vocabulary(std::span<const LabelledSentence> sentences, std::int64_t min_count) {
  std::unordered_map<std::string, std::int64_t> counts;
  for (const LabelledSentence& sentence : sentences) {
    for (const std::string& word : lower_case_words(sentence.text)) ++counts[word];
  }
  std::vector<std::pair<std::int64_t, std::string>> kept;
  for (const auto& [word, count] : counts) {
    if (count >= min_count) kept.emplace_back(-count, word);
  }
  std::sort(kept.begin(), kept.end());
  for (const auto& [negative_count, word] : kept) {
    tokens_.emplace(word, kFirstWordToken + static_cast<std::int32_t>(tokens_.size()));
  }
}

Vocabulary::Vocabulary(std::span<const std::string> words) {
  for (const std::string& word : words) {
    tokens_.emplace(word, kFirstWordToken + static_cast<std::int32_t>(tokens_.size()));
  }
}

std::vector<std::string> Vocabulary::words() const {
  std::vector<std::string> words(tokens_.size());
  for (const auto& [word, token] : tokens_) {
    words[static_cast<std::size_t>(token - kFirstWordToken)] = word;
  }
  return words;
}

std::int64_t Vocabulary::size() const {
  return kFirstWordToken + static_cast<std::int64_t>(tokens_.size());
}

std::vector<std::int32_t> Vocabulary::tokens(std::string_view sentence,
                                             std::optional<std::int64_t> max_length) const {
  std::vector<std::int32_t> tokens;
  for (const std::string& word : lower_case_words(sentence)) {
    if (max_length && std::ssize(tokens) == *max_length) break;
    const auto at = tokens_.find(word);
    tokens.push_back(at != tokens_.end() ? at->second : kUnknownToken);
  }
  return tokens;
}

}  // namespace tacho
