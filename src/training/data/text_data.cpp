#include "training/data/text_data.h"

#include <fmt/format.h>

#include <span>

#include "training/data/locate.h"
#include "training/data/sentences.h"
#include "training/text/learn_pieces.h"
#include "training/text/word_piece.h"

namespace tacho {
namespace {

using Sentences = std::span<const LabelledSentence>;

// `tokens` converts a sentence to its list of tokens.
template <class Tokens>
TextSet encode(Sentences sentences, const Tokens& tokens) {
  TextSet set;
  set.tokens.reserve(sentences.size());
  set.labels.reserve(sentences.size());
  for (const LabelledSentence& sentence : sentences) {
    set.tokens.push_back(tokens(sentence.text));
    set.labels.push_back(sentence.label);
  }
  return set;
}

Result<PieceVocabulary> pieces_for(Sentences train, const TextOptions& options) {
  if (options.vocabulary_file.empty()) {
    WordCounts words;
    for (const LabelledSentence& sentence : train) words.add(sentence.text);
    return learn_pieces(words, {.size = options.vocabulary_size});
  }
  TACHO_TRY(vocabulary, PieceVocabulary::read(options.vocabulary_file));
  if (vocabulary.special(SpecialToken::padding) != kPaddingToken) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: line {}: [PAD] must be on the first line, because batches are "
                             "padded with token 0",
                             options.vocabulary_file.string(),
                             vocabulary.special(SpecialToken::padding) + 1)};
  }
  return vocabulary;
}

Result<TextData> load_pieces(const DatasetInfo& info, Sentences train, Sentences eval,
                             const TextOptions& options) {
  const std::int64_t max_length = options.max_length.value_or(kMaxPieces);
  if (max_length < 3) {
    return Error{ErrorCode::usage,
                 fmt::format("a sentence of at most {} tokens has no room for a word between [CLS] "
                             "and [SEP]; allow 3 or more",
                             max_length)};
  }
  TACHO_TRY(vocabulary, pieces_for(train, options));
  const WordPiece word_piece(std::move(vocabulary));
  const auto tokens = [&](std::string_view text) { return word_piece.tokens(text, max_length); };
  return TextData{.train = encode(train, tokens),
                  .eval = encode(eval, tokens),
                  .classes = info.classes,
                  .vocabulary = word_piece.vocabulary().size(),
                  .pieces = word_piece.vocabulary()};
}

TextData load_words(const DatasetInfo& info, Sentences train, Sentences eval,
                    std::optional<std::int64_t> max_length) {
  const Vocabulary vocabulary(train, info.min_word_count);
  const auto tokens = [&](std::string_view text) { return vocabulary.tokens(text, max_length); };
  return TextData{.train = encode(train, tokens),
                  .eval = encode(eval, tokens),
                  .classes = info.classes,
                  .vocabulary = vocabulary.size(),
                  .words = vocabulary};
}

}  // namespace

Result<TextData> load_text(const DatasetInfo& info, const std::filesystem::path& folder,
                           const TextOptions& options) {
  TACHO_TRY(train, read_sentences(file_in(folder, "train.tsv")));
  TACHO_TRY(eval, read_sentences(file_in(folder, "dev.tsv")));
  if (options.kind == TokenKind::word) return load_words(info, train, eval, options.max_length);
  return load_pieces(info, train, eval, options);
}

}  // namespace tacho
