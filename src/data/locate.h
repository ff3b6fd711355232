#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/catalog.h"

namespace tacho {

// Where prepare() puts a dataset: home/data/NAME.
std::filesystem::path prepared_folder(const DatasetInfo& info, const std::filesystem::path& home);

// folder/name, or folder/name.gz where only that is there.
std::filesystem::path file_in(const std::filesystem::path& folder, std::string_view name);

// The folder that holds all files of a dataset: `folder_override` unless empty, else the prepared
// one, else the system's. ErrorCode::not_found says what is missing and how to get it.
Result<std::filesystem::path> locate(const DatasetInfo& info, const std::filesystem::path& home,
                                     const std::string& folder_override);

}  // namespace tacho
