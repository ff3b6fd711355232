#include "microbench/memory/survey_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"

namespace tacho::bandwidth {

namespace fs = std::filesystem;

Result<void> SurveyStore::put(const SurveyRecord& record) const {
  TACHO_CHECK(make_folders(folder_));
  return write_file_atomically(folder_ / (key_of(record) + ".json"),
                               json_text(to_json(record), 1) + "\n");
}

std::vector<std::string> SurveyStore::keys() const {
  std::vector<std::string> keys;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, unreadable)) {
    if (entry.path().extension() == ".json") keys.push_back(entry.path().stem().string());
  }
  std::ranges::sort(keys);
  return keys;
}

Result<SurveyRecord> SurveyStore::find(std::string_view name) const {
  const auto all = keys();
  if (all.empty()) {
    return Error{ErrorCode::not_found, "nothing was measured yet; run 'tacho bench memory'"};
  }
  if (name == "last") return read(all.back());
  std::vector<std::string> matches;
  for (const std::string& key : all) {
    if (key == name) return read(key);
    if (key.starts_with(name)) matches.push_back(key);
  }
  if (matches.size() == 1) return read(matches[0]);
  return Error{ErrorCode::not_found,
               matches.empty() ? fmt::format("no survey '{}'; 'tacho bench ls' lists them", name)
                               : fmt::format("{} surveys begin with '{}'; use a longer prefix",
                                             matches.size(), name)};
}

Result<SurveyRecord> SurveyStore::read(std::string_view key) const {
  const fs::path file = folder_ / (std::string(key) + ".json");
  TACHO_TRY(text, read_file(file));
  const auto json = parse_json(text);
  if (!json.ok()) return json.error().in(file.string());
  return survey_record_from_json(*json).in(file.string());
}

}  // namespace tacho::bandwidth
