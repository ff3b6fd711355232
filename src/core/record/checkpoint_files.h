#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_folder.h"

namespace tacho {

// The checkpoint files of a run: one per kept epoch. The newest names the best epoch in its
// metadata, so that both are known whenever a run is killed.
std::string checkpoint_name(std::int64_t epoch);

// Sorted by epoch, ascending. Empty if the folder is a link.
std::vector<std::filesystem::path> checkpoint_files(const RunFolder& folder);

// Returns the epoch in the newest checkpoint's name, 0 without one.
std::int64_t newest_checkpoint_epoch(const RunFolder& folder);

// Returns nullopt without one.
std::optional<std::filesystem::path> newest_checkpoint(const RunFolder& folder);

// The key of the best epoch in a checkpoint's metadata.
inline constexpr const char* kBestEpochKey = "best_epoch";

// Returns the checkpoint of the best epoch. ErrorCode::not_found if the run did not keep it.
Result<std::filesystem::path> best_checkpoint(const RunFolder& folder);

// Removes the checkpoints after the best epoch: the run resumes there.
Result<void> return_to_best_checkpoint(const RunFolder& folder);

}  // namespace tacho
