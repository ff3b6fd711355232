#include "base/tensor_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_object.h"

namespace tacho {
namespace {

constexpr std::array<std::pair<std::string_view, std::size_t>, 8> kElementBytes = {{
    {"F32", 4},
    {"F64", 8},
    {"F16", 2},
    {"BF16", 2},
    {"I64", 8},
    {"I32", 4},
    {"U8", 1},
    {"BOOL", 1},
}};
// A header may claim any shape, including one whose size overflows.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;
constexpr std::size_t kMostDimensions = 64;

Error wrong(std::string_view name, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("'{:.200}': {}", name, what)};
}

// Skips dimensions of zero at first, so that the other ones are checked too.
Result<std::size_t> byte_size(const TensorEntry& entry) {
  const auto* known = std::ranges::find(kElementBytes, std::string_view(entry.type),
                                        &decltype(kElementBytes)::value_type::first);
  if (known == kElementBytes.end()) {
    return wrong(entry.name, fmt::format("unknown type {:.40}", entry.type));
  }
  if (entry.shape.size() > kMostDimensions) {
    return wrong(entry.name, fmt::format("more than {} dimensions", kMostDimensions));
  }
  auto size = static_cast<std::int64_t>(known->second);
  for (const std::int64_t length : entry.shape) {
    if (length < 0) return wrong(entry.name, "negative dimension");
    if (length > 0 && size > kMostBytes / length) {
      return wrong(entry.name, "larger than any file can be");
    }
    size *= std::max<std::int64_t>(length, 1);
  }
  return std::ranges::find(entry.shape, 0) != entry.shape.end() ? 0
                                                                : static_cast<std::size_t>(size);
}

Result<TensorEntry> read_entry(const std::string& name, const Json& json, std::size_t data_size) {
  TensorEntry entry{.name = name};
  std::vector<std::int64_t> offsets;
  JsonObject object(json, fmt::format("'{:.200}'", name));
  object.read("dtype", entry.type);
  object.read("shape", entry.shape);
  object.read("data_offsets", offsets);
  TACHO_CHECK(object.finish());
  if (offsets.size() != 2 || offsets[0] < 0 || offsets[1] < offsets[0]) {
    return wrong(name, "bad offsets");
  }
  entry.begin = static_cast<std::size_t>(offsets[0]);
  entry.end = static_cast<std::size_t>(offsets[1]);
  TACHO_TRY(size, byte_size(entry));
  if (entry.end > data_size || entry.end - entry.begin != size) {
    return wrong(name, "its offsets do not match its shape or the file");
  }
  return entry;
}

Result<void> check_no_overlap(const std::vector<TensorEntry>& tensors) {
  std::vector<const TensorEntry*> sorted;
  for (const TensorEntry& entry : tensors) {
    if (entry.begin < entry.end) sorted.push_back(&entry);
  }
  std::ranges::sort(sorted, {}, &TensorEntry::begin);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->begin >= sorted[i - 1]->end) continue;
    return wrong(sorted[i]->name, fmt::format("overlaps '{:.200}'", sorted[i - 1]->name));
  }
  return {};
}

}  // namespace

Result<TensorHeader> read_tensor_header(std::string_view text, std::size_t data_size) {
  TACHO_TRY(json, parse_json(text));
  if (!json.is_object()) return Error{ErrorCode::invalid, "the header is not a JSON object"};
  TensorHeader header;
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") {
      for (const auto& [key, word] : value.items()) {
        if (word.is_string()) header.metadata[key] = word.get<std::string>();
      }
      continue;
    }
    TACHO_TRY(entry, read_entry(name, value, data_size));
    header.tensors.push_back(std::move(entry));
  }
  TACHO_CHECK(check_no_overlap(header.tensors));
  return header;
}

}  // namespace tacho
