#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "training/data/fetch/entry_reader.h"

namespace tacho {

// The contents of TinyImageNet's text files.
struct TinyLabels {
  std::set<std::string, std::less<>> classes;                    // wnids.txt
  std::map<std::string, std::string, std::less<>> words;         // per class; words.txt
  std::map<std::string, std::string, std::less<>> class_of_val;  // class of "val_0.JPEG"
};

// Reads the text files below `prefix`.
Result<TinyLabels> read_tiny_labels(EntryReader& reader, std::string_view prefix);

// Parses wnids.txt: one WordNet id per line, without duplicates.
Result<void> parse_wordnet_ids(std::string_view text, TinyLabels& labels);
// Parses val_annotations.txt: file, class and a box, separated by tabs. Needs the ids.
Result<void> parse_val_annotations(std::string_view text, TinyLabels& labels);
// Parses words.txt: id and words of all of WordNet, separated by tabs. Needs the ids.
Result<void> parse_words(std::string_view text, TinyLabels& labels);

}  // namespace tacho
