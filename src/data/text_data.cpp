#include "data/text_data.h"

#include <span>

#include "data/locate.h"
#include "data/sentences.h"
#include "data/vocabulary.h"

namespace tacho {
namespace {

TextSet encode(std::span<const LabelledSentence> sentences, const Vocabulary& vocabulary) {
  TextSet set;
  for (const LabelledSentence& sentence : sentences) {
    set.tokens.push_back(vocabulary.tokens(sentence.words));
    set.labels.push_back(sentence.label);
  }
  return set;
}

}  // namespace

Result<TextData> load_text(const DatasetInfo& info, const std::filesystem::path& folder) {
  TACHO_TRY(train, read_sentences(file_in(folder, "train.tsv")));
  TACHO_TRY(eval, read_sentences(file_in(folder, "dev.tsv")));
  const Vocabulary vocabulary(train, info.min_word_count);
  return TextData{encode(train, vocabulary), encode(eval, vocabulary), info.classes,
                  vocabulary.size()};
}

}  // namespace tacho
