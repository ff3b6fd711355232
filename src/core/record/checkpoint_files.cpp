#include "core/record/checkpoint_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".safetensors";

std::int64_t epoch_of(const fs::path& file) {
  const std::string name = file.stem().string();
  std::int64_t epoch = 0;
  std::from_chars(name.data() + name.find('-') + 1, name.data() + name.size(), epoch);
  return epoch;
}

// Reads the metadata of a safetensors file: after its length in 8 bytes, its first part is JSON.
Result<Json> metadata_of(const fs::path& path) {
  constexpr std::uint64_t kMostBytes = 100'000'000;  // as in the format's definition
  const Error damaged{ErrorCode::invalid, path.string() + ": not a checkpoint"};
  std::ifstream file(path, std::ios::binary);
  std::uint64_t length = 0;
  char bytes[sizeof length];
  if (!file.read(bytes, sizeof bytes)) return damaged;
  std::memcpy(&length, bytes, sizeof bytes);
  if (length > kMostBytes) return damaged;
  std::string header(length, '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(length))) return damaged;
  TACHO_TRY(json, parse_json(header).in(path.string()));
  const auto found = json.find("__metadata__");
  if (!json.is_object() || found == json.end() || !found->is_object()) return damaged;
  return *found;
}

// 0: unknown, as in checkpoints of older versions.
Result<std::int64_t> best_epoch_in(const fs::path& path) {
  TACHO_TRY(metadata, metadata_of(path));
  const auto found = metadata.find(kBestEpochKey);
  std::int64_t epoch = 0;
  if (found == metadata.end() || !found->is_string()) return epoch;
  const auto text = found->get<std::string>();
  std::from_chars(text.data(), text.data() + text.size(), epoch);
  return epoch;
}

}  // namespace

std::string checkpoint_name(std::int64_t epoch) {
  return fmt::format("epoch-{:05d}{}", epoch, kEnding);
}

std::vector<fs::path> checkpoint_files(const RunFolder& folder) {
  std::vector<fs::path> files;
  std::error_code none_yet;
  if (fs::is_symlink(folder.checkpoints(), none_yet)) return files;
  for (const auto& entry : fs::directory_iterator(folder.checkpoints(), none_yet)) {
    if (entry.path().extension() == kEnding) files.push_back(entry.path());
  }
  std::ranges::sort(files, {}, epoch_of);
  return files;
}

std::int64_t newest_checkpoint_epoch(const RunFolder& folder) {
  const auto newest = newest_checkpoint(folder);
  return newest ? epoch_of(*newest) : 0;
}

std::optional<fs::path> newest_checkpoint(const RunFolder& folder) {
  const auto files = checkpoint_files(folder);
  if (files.empty()) return std::nullopt;
  return files.back();
}

Result<fs::path> best_checkpoint(const RunFolder& folder) {
  const auto newest = newest_checkpoint(folder);
  if (!newest) {
    return Error{ErrorCode::not_found,
                 fmt::format("{} has no checkpoint", folder.checkpoints().string())};
  }
  TACHO_TRY(epoch, best_epoch_in(*newest));
  fs::path best = folder.checkpoints() / checkpoint_name(epoch);
  std::error_code unreadable;
  if (epoch > 0 && fs::exists(best, unreadable)) return best;
  return Error{ErrorCode::not_found,
               fmt::format("{} has only the last checkpoint; train with --keep best to keep the "
                           "best one, or use --checkpoint last",
                           folder.checkpoints().string())};
}

Result<void> return_to_best_checkpoint(const RunFolder& folder) {
  TACHO_TRY(best, best_checkpoint(folder));
  for (const fs::path& file : checkpoint_files(folder)) {
    if (epoch_of(file) <= epoch_of(best)) continue;
    std::error_code problem;
    fs::remove(file, problem);
    if (problem) {
      return Error{ErrorCode::io, fmt::format("{}: {}", file.string(), problem.message())};
    }
  }
  return {};
}

}  // namespace tacho
