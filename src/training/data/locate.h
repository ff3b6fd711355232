#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "training/data/catalog.h"

namespace tacho {

// The target of prepare(): home/data/NAME.
std::filesystem::path prepared_folder(const DatasetInfo& info, const std::filesystem::path& home);

// Returns folder/name, or folder/name.gz if only that exists.
std::filesystem::path file_in(const std::filesystem::path& folder, std::string_view name);

// Returns the folder with all files of a dataset: `folder_override` unless empty, else the prepared
// one, else the system's. ErrorCode::not_found says what is missing and how to get it.
Result<std::filesystem::path> locate(const DatasetInfo& info, const std::filesystem::path& home,
                                     const std::string& folder_override);

}  // namespace tacho
