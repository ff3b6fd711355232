#include "core/record/run_edits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/confined_file.h"

namespace tacho {
namespace {

constexpr std::size_t kLongestWord = 200;
constexpr std::size_t kLongestNotes = 64 << 10;
constexpr std::size_t kMostTags = 50;
constexpr Bytes kLargestFile{1 << 20};

Result<void> check_word(std::string_view what, const std::string& text) {
  const bool printable =
      std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (printable && text.size() <= kLongestWord) return {};
  return Error{ErrorCode::usage,
               fmt::format("a {} must be one line of at most {} bytes", what, kLongestWord)};
}

}  // namespace

Result<void> check(const RunEdits& edits) {
  TACHO_CHECK(check_word("name", edits.name.value_or("")));
  TACHO_CHECK(check_word("project", edits.project.value_or("")));
  if (edits.notes.value_or("").size() > kLongestNotes) {
    return Error{ErrorCode::usage, fmt::format("notes must have at most {} bytes; write longer "
                                               "ones to a file in the run's folder",
                                               kLongestNotes)};
  }
  if (!edits.tags) return {};
  if (edits.tags->size() > kMostTags) {
    return Error{ErrorCode::usage, fmt::format("a run can have at most {} tags", kMostTags)};
  }
  for (const std::string& tag : *edits.tags) {
    TACHO_CHECK(check_word("tag", tag));
    if (tag.empty() || tag.find(',') != std::string::npos) {
      return Error{ErrorCode::usage, "a tag must not be empty or contain a comma"};
    }
  }
  return {};
}

std::vector<std::string> tags_of(std::vector<std::string> given) {
  for (std::string& tag : given) {
    std::size_t end = std::min(tag.size(), kLongestWord);
    // Not within a character.
    while (end > 0 && end < tag.size() && (static_cast<unsigned char>(tag[end]) & 0xC0U) == 0x80) {
      --end;
    }
    tag.resize(end);
    std::ranges::replace_if(
        tag, [](unsigned char c) { return c < 0x20 || c == 0x7F || c == ','; }, ' ');
  }
  std::erase(given, "");
  if (given.size() > kMostTags) given.resize(kMostTags);
  return given;
}

Result<std::optional<RunEdits>> read_edits(const RunFolder& folder) {
  const auto text = read_confined(folder.path(), folder.edits(), kLargestFile);
  if (!text.ok() && text.error().code == ErrorCode::not_found) return std::optional<RunEdits>();
  if (!text.ok()) return text.error();
  TACHO_TRY(json, parse_json(*text).in(folder.edits().string()));
  TACHO_TRY(edits, read_json<RunEdits>(json, folder.edits().string()));
  TACHO_CHECK(check(edits).in(folder.edits().string()));
  return std::optional(std::move(edits));
}

Result<void> write_edits(const RunFolder& folder, const RunEdits& edits) {
  return write_file_atomically(folder.edits(), json_text(json_of(edits), 1) + "\n");
}

}  // namespace tacho
