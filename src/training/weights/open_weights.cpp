#include "training/weights/open_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>

#include "base/json_object.h"
#include "base/tensor_header.h"
#include "base/terminal.h"
#include "training/weights/state_dict.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the reference reader's limit
constexpr std::size_t kMostShards = 10'000;
constexpr Bytes kMostIndexBytes{64 << 20};

Error not_safetensors(const fs::path& path, const std::string& what) {
  return {ErrorCode::invalid,
          fmt::format("{}: not a valid safetensors file: {}", path.string(), what)};
}

bool is_there(const fs::path& path) {
  std::error_code unreadable;  // reported by whatever reads it
  return fs::exists(path, unreadable);
}

// The file of each tensor, of an index such as model.safetensors.index.json.
Result<std::map<std::string, std::string>> read_shard_index(const fs::path& path) {
  TACHO_TRY(text, read_file(path, kMostIndexBytes));
  TACHO_TRY(json, parse_json(text).in(path.string()));
  const auto bad = [&path](const std::string& what) {
    return Error{ErrorCode::invalid, fmt::format("{}: {}", path.string(), what)};
  };
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object()) {
    return bad("it has no object 'weight_map'");
  }
  std::map<std::string, std::string> shard_of;
  for (const auto& [name, value] : json["weight_map"].items()) {
    const std::string shard = value.is_string() ? value.get<std::string>() : "";
    if (shard.empty() || shard.find('/') != std::string::npos || shard == "." || shard == "..") {
      return bad(fmt::format("'{}' is not in a file of the same folder", printable(name)));
    }
    shard_of.emplace(name, shard);
  }
  if (shard_of.empty()) return bad("it lists no tensors");
  return shard_of;
}

Result<std::vector<WeightsFile>> open_shards(const fs::path& folder, const fs::path& index) {
  TACHO_TRY(shard_of, read_shard_index(index));
  std::set<std::string> shards;
  for (const auto& [name, shard] : shard_of) shards.insert(shard);
  if (shards.size() > kMostShards) {
    return Error{ErrorCode::invalid, fmt::format("{}: too many files", index.string())};
  }
  std::vector<WeightsFile> files;
  std::set<std::string> found;
  for (const std::string& shard : shards) {
    TACHO_TRY(file, open_weights_file(folder / shard));
    for (const StoredTensor& tensor : file.tensors) {
      const auto at = shard_of.find(tensor.name);
      if (at != shard_of.end() && at->second == shard && found.insert(tensor.name).second) continue;
      return Error{ErrorCode::invalid,
                   fmt::format("{}: '{}' is in {}, but the index says otherwise", index.string(),
                               printable(tensor.name), shard)};
    }
    files.push_back(std::move(file));
  }
  for (const auto& [name, shard] : shard_of) {
    if (found.contains(name)) continue;
    return Error{ErrorCode::invalid, fmt::format("{}: '{}' is not in {}, as the index says",
                                                 index.string(), printable(name), shard)};
  }
  return files;
}

bool looks_like_weights(const fs::path& path) {
  constexpr std::array<std::string_view, 4> kEndings = {".safetensors", ".pt", ".pth", ".bin"};
  return std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

Result<fs::path> only_weights_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (looks_like_weights(at->path())) found.push_back(at->path());
  }
  if (error) return system_error(folder, error.value());
  if (found.size() == 1) return found.front();
  std::ranges::sort(found);
  return Error{found.empty() ? ErrorCode::not_found : ErrorCode::usage,
               found.empty()
                   ? fmt::format("{} has no weights: no file ends in .safetensors, .pt, .pth or "
                                 ".bin",
                                 folder.string())
                   : fmt::format("{} has {} files of weights; name one of them, such as {}",
                                 folder.string(), found.size(), found.front().string())};
}

Result<std::vector<WeightsFile>> open_one(const fs::path& path) {
  TACHO_TRY(file, open_weights_file(path));
  std::vector<WeightsFile> files;
  files.push_back(std::move(file));
  return files;
}

}  // namespace

Result<std::vector<StoredTensor>> read_safetensors_index(
    const InputFile& file, std::map<std::string, std::string>* metadata) {
  std::uint64_t length = 0;
  if (file.size() < sizeof length) return not_safetensors(file.path(), "it is truncated");
  TACHO_CHECK(file.read(&length, sizeof length, 0));
  if (length > kMostHeaderBytes || length > file.size() - sizeof length) {
    return not_safetensors(file.path(), "its header is longer than the file");
  }
  TACHO_TRY(text, file.bytes(length, sizeof length));
  const std::size_t data = sizeof length + length;
  auto header = read_tensor_header(text, file.size() - data);
  if (!header.ok()) return not_safetensors(file.path(), header.error().message);
  std::vector<StoredTensor> tensors;
  for (TensorEntry& entry : header->tensors) {
    const std::size_t reach = (entry.end - entry.begin) / element_bytes(entry.type);
    auto strides = contiguous_strides(entry.shape);
    tensors.push_back({std::move(entry.name), std::move(entry.type), std::move(entry.shape),
                       std::move(strides), data + entry.begin, reach});
  }
  if (metadata != nullptr) *metadata = std::move(header->metadata);
  return tensors;
}

Result<WeightsFile> open_weights_file(const fs::path& path) {
  TACHO_TRY(file, InputFile::open(path));
  TACHO_TRY(torch, is_torch_file(file));
  TACHO_TRY(tensors,
            torch ? read_state_dict(file).in(path.string()) : read_safetensors_index(file));
  return WeightsFile{std::move(file), std::move(tensors)};
}

Result<std::vector<WeightsFile>> open_weights(const fs::path& path) {
  std::error_code unreadable;
  if (!fs::is_directory(path, unreadable)) return open_one(path);
  for (const char* name : {"model.safetensors", "pytorch_model.bin"}) {
    if (is_there(path / name)) return open_one(path / name);
    const fs::path index = path / (std::string(name) + ".index.json");
    if (is_there(index)) return open_shards(path, index);
  }
  TACHO_TRY(only, only_weights_in(path));
  return open_one(only);
}

}  // namespace tacho
