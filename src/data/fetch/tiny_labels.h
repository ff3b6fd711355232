#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/fetch/entry_reader.h"

namespace tacho {

// What TinyImageNet's text files say.
struct TinyLabels {
  std::set<std::string, std::less<>> classes;                    // wnids.txt
  std::map<std::string, std::string, std::less<>> words;         // of the classes; words.txt
  std::map<std::string, std::string, std::less<>> class_of_val;  // "val_0.JPEG" to its class
};

// Looks for the text files below `prefix` among the reader's.
Result<TinyLabels> read_tiny_labels(EntryReader& reader, std::string_view prefix);

// wnids.txt: a WordNet id a line, none twice.
Result<void> parse_wordnet_ids(std::string_view text, TinyLabels& labels);
// val_annotations.txt: file, class and a box, between tabs. After the ids.
Result<void> parse_val_annotations(std::string_view text, TinyLabels& labels);
// words.txt: id and words, between tabs, of all of WordNet. After the ids.
Result<void> parse_words(std::string_view text, TinyLabels& labels);

}  // namespace tacho
