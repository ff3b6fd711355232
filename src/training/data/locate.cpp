#include "training/data/locate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "training/data/documents.h"
#include "training/data/image_file.h"
#include "training/data/image_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// A file without permission is not absent: opening it reports the reason.
bool is_absent(const fs::path& path) {
  std::error_code ignored;
  return fs::status(path, ignored).type() == fs::file_type::not_found;
}

std::vector<std::string_view> missing_files(const DatasetInfo& info, const fs::path& folder) {
  std::vector<std::string_view> missing;
  if (info.side > 0 && has_image_files(folder)) {
    for (const std::string_view name : {kTrainImages, kEvalImages}) {
      if (is_absent(folder / name)) missing.push_back(name);
    }
    return missing;
  }
  if (info.form == DatasetForm::documents) {
    if (!find_text_files(folder).ok()) missing.emplace_back(".txt, .md or .jsonl files");
    return missing;
  }
  if (info.form == DatasetForm::image_folder) {
    if (is_absent(folder / kTrainPart)) missing.push_back(kTrainPart);
    if (is_absent(folder / eval_part_of(folder))) missing.push_back(kEvalParts.front());
  }
  for (const DatasetFile& file : info.files) {
    if (is_absent(file_in(folder, file.name))) missing.push_back(file.name);
  }
  return missing;
}

std::string what_is_missing(const fs::path& folder, const std::vector<std::string_view>& files) {
  if (is_absent(folder)) return fmt::format("there is no {}", folder.string());
  return fmt::format("{} lacks {}", folder.string(), fmt::join(files, ", "));
}

}  // namespace

fs::path prepared_folder(const DatasetInfo& info, const fs::path& home) {
  return home / "data" / info.name;
}

fs::path file_in(const fs::path& folder, std::string_view name) {
  const fs::path plain = folder / name;
  const fs::path compressed = plain.string() + ".gz";
  return is_absent(plain) && !is_absent(compressed) ? compressed : plain;
}

Result<fs::path> locate(const DatasetInfo& info, const fs::path& home,
                        const std::string& folder_override) {
  std::vector<fs::path> folders;
  if (!folder_override.empty()) {
    folders = {folder_override};
  } else {
    folders = {prepared_folder(info, home)};
    if (!info.system_folder.empty()) folders.emplace_back(info.system_folder);
  }
  std::vector<std::string> problems;
  for (const fs::path& folder : folders) {
    const auto missing = missing_files(info, folder);
    if (missing.empty()) return folder;
    problems.push_back(what_is_missing(folder, missing));
  }
  const std::string needs = info.needs.empty() ? "" : fmt::format(", which needs {}", info.needs);
  return Error{ErrorCode::not_found,
               fmt::format("{}: {}; get it with '{}'{}", info.name, fmt::join(problems, ", "),
                           command_to_get(info), needs)};
}

}  // namespace tacho
