#include "training/data/token_file.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "training/data/little_endian.h"

namespace tacho {
namespace {

constexpr std::string_view kMagic = "TACHOTOK";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kTrailer = 32;

Error damaged(const std::filesystem::path& path) {
  return {ErrorCode::invalid, path.string() + ": damaged; remove it, and it will be written again"};
}

}  // namespace

Result<TokenFile> TokenFile::open(const std::filesystem::path& path) {
  TACHO_TRY(file, MappedFile::open(path));
  const auto bytes = file.bytes();
  if (bytes.size() < kTrailer) return damaged(path);
  const auto trailer = bytes.last(kTrailer);
  const bool known = std::memcmp(trailer.data(), kMagic.data(), kMagic.size()) == 0 &&
                     little_endian::read(trailer, 8, 4) == kVersion;
  const std::uint64_t width = little_endian::read(trailer, 12, 4);
  const std::uint64_t train = little_endian::read(trailer, 16, 8);
  const std::uint64_t eval = little_endian::read(trailer, 24, 8);
  // Compared with the size first: the sum of damaged numbers could overflow.
  if (!known || (width != 2 && width != 4) || train > bytes.size() || eval > bytes.size() ||
      (train + eval) * width + kTrailer != bytes.size()) {
    return damaged(path);
  }
  return TokenFile(std::move(file), static_cast<std::int64_t>(width),
                   static_cast<std::int64_t>(train), static_cast<std::int64_t>(eval));
}

void TokenFile::read(std::int64_t from, std::span<std::int64_t> out) const {
  const auto width = static_cast<std::size_t>(width_);
  const auto bytes =
      file_.bytes().subspan(static_cast<std::size_t>(from) * width, out.size() * width);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::int64_t>(little_endian::read(bytes, i * width, width));
  }
}

Result<TokenFileWriter> TokenFileWriter::create(std::filesystem::path path,
                                                std::int64_t vocabulary) {
  TACHO_TRY(file, AtomicFile::create(std::move(path)));
  return TokenFileWriter(std::move(file), vocabulary <= 1 << 16 ? 2 : 4);
}

Result<void> TokenFileWriter::add(std::span<const std::int32_t> tokens) {
  std::string bytes;
  bytes.reserve(tokens.size() * static_cast<std::size_t>(width_));
  for (const std::int32_t token : tokens) {
    little_endian::append(bytes, static_cast<std::uint32_t>(token),
                          static_cast<std::size_t>(width_));
  }
  tokens_ += static_cast<std::int64_t>(tokens.size());
  return file_.write(bytes);
}

Result<void> TokenFileWriter::finish(std::int64_t eval) {
  std::string trailer(kMagic);
  little_endian::append(trailer, kVersion, 4);
  little_endian::append(trailer, static_cast<std::uint64_t>(width_), 4);
  little_endian::append(trailer, static_cast<std::uint64_t>(tokens_ - eval), 8);
  little_endian::append(trailer, static_cast<std::uint64_t>(eval), 8);
  TACHO_CHECK(file_.write(trailer));
  // Can be made again after a power cut.
  return file_.commit(Outlives::kill);
}

}  // namespace tacho
