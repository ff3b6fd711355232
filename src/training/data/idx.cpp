#include "training/data/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "training/data/gz_file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kUnsignedBytes = 0x0800;  // the magic number without its dimensions
constexpr std::int64_t kDeflateLimit = 1032;      // the highest compression ratio of deflate
constexpr std::int64_t kMaxValues = std::int64_t{1} << 32;

Error not_idx(const fs::path& file, std::string_view why) {
  return {ErrorCode::invalid, fmt::format("{}: {}", file.string(), why)};
}

std::uint32_t big_endian(std::span<const char, 4> bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// Returns nothing if the product exceeds `most`.
std::optional<std::int64_t> product(std::span<const std::int64_t> shape, std::int64_t most) {
  std::int64_t total = 1;
  for (const std::int64_t length : shape) {
    if (length > 0 && total > most / length) return std::nullopt;
    total *= length;
  }
  return total;
}

std::int64_t most_values_in(const fs::path& file) {
  std::error_code error;
  const auto bytes = static_cast<std::int64_t>(fs::file_size(file, error));
  if (error) return 0;
  return std::min(kMaxValues, std::min(bytes, kMaxValues) * kDeflateLimit);
}

Result<std::vector<std::int64_t>> read_shape(GzFile& content, const fs::path& file,
                                             std::size_t dimensions) {
  std::vector<char> header(4 + 4 * dimensions);
  TACHO_TRY(got, content.read(header));
  if (got < header.size()) {
    return not_idx(file,
                   fmt::format("ends within its header, after {} of {} bytes", got, header.size()));
  }
  const auto word = [&header](std::size_t index) {
    return big_endian(std::span<const char, 4>(header.data() + 4 * index, 4));
  };
  const auto expected = kUnsignedBytes + static_cast<std::uint32_t>(dimensions);
  if (word(0) != expected) {
    return not_idx(file, fmt::format("not an IDX file of bytes in {} dimensions: it begins with "
                                     "{:08x}, expected {:08x}",
                                     dimensions, word(0), expected));
  }
  std::vector<std::int64_t> shape;
  for (std::size_t i = 1; i <= dimensions; ++i) shape.push_back(word(i));
  return shape;
}

}  // namespace

Result<IdxArray> read_idx(const fs::path& file, std::size_t dimensions) {
  TACHO_TRY(content, GzFile::open(file));
  TACHO_TRY(shape, read_shape(content, file, dimensions));
  const std::string stated = fmt::format("{}", fmt::join(shape, " x "));
  const auto count = product(shape, most_values_in(file));
  if (!count) {
    return not_idx(file, fmt::format("its header states {} bytes, more than a file of this size "
                                     "can contain",
                                     stated));
  }
  if (*count == 0)
    return not_idx(file, fmt::format("its header states an empty array: {}", stated));

  IdxArray array{shape, std::vector<std::uint8_t>(static_cast<std::size_t>(*count))};
  TACHO_TRY(got, content.read({reinterpret_cast<char*>(array.values.data()), array.values.size()}));
  if (got < array.values.size()) {
    return not_idx(file, fmt::format("ends after {} of the {} bytes that its header states ({})",
                                     got, *count, stated));
  }
  std::array<char, 1> beyond{};
  TACHO_TRY(extra, content.read(beyond));
  if (extra > 0) {
    return not_idx(file, fmt::format("continues after the {} bytes that its header states ({})",
                                     *count, stated));
  }
  return array;
}

}  // namespace tacho
