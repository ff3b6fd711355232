#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// Receives one line of text before each step of a long operation.
using Say = std::function<void(std::string_view)>;

enum class FileState { ok, missing, unreadable, wrong_size, wrong_count, wrong_checksum };
inline constexpr Names<FileState, 6> kFileStates{"file state",
                                                 {{{FileState::ok, "ok"},
                                                   {FileState::missing, "missing"},
                                                   {FileState::unreadable, "unreadable"},
                                                   {FileState::wrong_size, "wrong size"},
                                                   {FileState::wrong_count, "wrong count"},
                                                   {FileState::wrong_checksum, "wrong checksum"}}}};

struct FileReport {
  std::string_view name;
  FileState state = FileState::ok;
  std::string problem;  // a sentence that names the path; "" when ok
};

// Returns one report per file of the catalog entry, in order; for an image folder, one per part.
std::vector<FileReport> verify(const DatasetInfo& info, const std::filesystem::path& folder,
                               const Say& say, const Watch& watch = {});

// Returns the first problem as an error.
Result<void> check(std::span<const FileReport> reports);

}  // namespace tacho
