#include "training/data/fetch/tiny_labels.h"

#include <fmt/format.h>

#include "training/data/fetch/table_text.h"

namespace tacho {
namespace {

constexpr Bytes kLargestTable{64 << 20};
constexpr const char* kIdsFile = "wnids.txt";
constexpr const char* kWordsFile = "words.txt";
constexpr const char* kAnnotationsFile = "val/val_annotations.txt";

Error bad_line(std::string_view why, std::string_view text) {
  return {ErrorCode::invalid, fmt::format("{}: '{}'", why, clean_words(text.substr(0, 60)))};
}

}  // namespace

Result<void> parse_wordnet_ids(std::string_view text, TinyLabels& labels) {
  TACHO_CHECK(each_line(text, [&labels](std::string_view line) -> Result<void> {
    if (!is_wordnet_id(line)) return bad_line("not a WordNet id such as n01443537", line);
    if (!labels.classes.emplace(line).second) return bad_line("occurs twice", line);
    return {};
  }));
  if (labels.classes.empty()) return Error{ErrorCode::invalid, "contains no class"};
  return {};
}

Result<void> parse_val_annotations(std::string_view text, TinyLabels& labels) {
  TACHO_CHECK(each_line(text, [&labels](std::string_view line) -> Result<void> {
    const std::string_view file = next_column(line);
    const std::string_view id = next_column(line);
    if (!is_numbered(file, "val_", ".JPEG")) return bad_line("not a name such as val_0.JPEG", file);
    if (!labels.classes.contains(id)) return bad_line("its class is not in wnids.txt", id);
    if (!labels.class_of_val.emplace(file, id).second) return bad_line("occurs twice", file);
    return {};
  }));
  if (labels.class_of_val.empty()) return Error{ErrorCode::invalid, "contains no image"};
  return {};
}

Result<void> parse_words(std::string_view text, TinyLabels& labels) {
  return each_line(text, [&labels](std::string_view line) -> Result<void> {
    const std::string_view id = next_column(line);
    if (!is_wordnet_id(id)) return bad_line("not a WordNet id such as n01443537", id);
    if (labels.classes.contains(id)) labels.words.emplace(id, clean_words(line));
    return {};
  });
}

Result<TinyLabels> read_tiny_labels(EntryReader& reader, std::string_view prefix) {
  std::map<std::string_view, std::string> texts;
  while (true) {
    TACHO_TRY(more, reader.next());
    if (!more) break;
    std::string_view path = reader.path();
    if (!path.starts_with(prefix)) continue;
    path.remove_prefix(prefix.size());
    for (const std::string_view wanted : {kIdsFile, kWordsFile, kAnnotationsFile}) {
      if (path != wanted) continue;
      TACHO_TRY(content, reader.content(kLargestTable));
      texts[wanted] = content;
    }
  }
  const std::string place(reader.progress().what);
  for (const std::string_view wanted : {kIdsFile, kAnnotationsFile}) {
    if (texts.contains(wanted)) continue;
    return Error{ErrorCode::invalid,
                 fmt::format("{}: does not contain {}{}", place, prefix, wanted)};
  }
  const auto at = [&](const char* file) { return fmt::format("{}: {}{}", place, prefix, file); };
  TinyLabels labels;
  TACHO_CHECK(parse_wordnet_ids(texts[kIdsFile], labels).in(at(kIdsFile)));
  TACHO_CHECK(parse_words(texts[kWordsFile], labels).in(at(kWordsFile)));
  TACHO_CHECK(parse_val_annotations(texts[kAnnotationsFile], labels).in(at(kAnnotationsFile)));
  return labels;
}

}  // namespace tacho
