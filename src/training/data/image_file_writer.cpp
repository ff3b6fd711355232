#include "training/data/image_file_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/sha256.h"
#include "training/data/little_endian.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

void append_real(std::string& out, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  little_endian::append(out, bits, sizeof bits);
}

std::string joined_names(const ImageFileHeader& header) {
  std::string names;
  for (const std::string& name : header.classes) names += name + "\n";
  return names;
}

// Everything before the class names, with a checksum of zeros.
std::string header_bytes(const ImageFileHeader& header) {
  std::string out(image_format::kMagic);
  little_endian::append(out, image_format::kVersion, 4);
  out.append(image_format::kChecked - image_format::kChecksum, '\0');
  little_endian::append(out, static_cast<std::uint64_t>(header.count), 8);
  for (const std::int64_t field : {header.channels, header.height, header.width,
                                   static_cast<std::int64_t>(header.classes.size()),
                                   static_cast<std::int64_t>(joined_names(header).size())}) {
    little_endian::append(out, static_cast<std::uint64_t>(field), 4);
  }
  for (const float mean : header.statistics.mean) append_real(out, mean);
  for (const float deviation : header.statistics.deviation) append_real(out, deviation);
  return out;
}

Result<void> write_at(int fd, std::int64_t offset, std::span<const char> bytes,
                      const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_error(path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += done;
  }
  return {};
}

}  // namespace

Result<ImageFileWriter> ImageFileWriter::create(fs::path path, ImageFileHeader header,
                                                std::span<const std::int64_t> labels) {
  header.count = static_cast<std::int64_t>(labels.size());
  std::string begin = header_bytes(header) + joined_names(header);
  for (const std::int64_t label : labels) {
    little_endian::append(begin, static_cast<std::uint64_t>(label), image_format::kLabelBytes);
  }
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) return system_error(path, errno);
  TACHO_CHECK(write_at(fd.get(), 0, begin, path));
  return ImageFileWriter(std::move(path), std::move(header), std::move(fd),
                         static_cast<std::int64_t>(begin.size()));
}

Result<void> ImageFileWriter::put(std::int64_t index, std::span<const std::uint8_t> pixels) {
  const std::int64_t size = header_.image_bytes();
  if (index < 0 || index >= header_.count || static_cast<std::int64_t>(pixels.size()) != size) {
    broken_invariant("an image that does not fit its file");
  }
  levels_.add(pixels, static_cast<std::size_t>(header_.channels));
  ++written_;
  return write_at(fd_.get(), pixels_at_ + index * size,
                  {reinterpret_cast<const char*>(pixels.data()), pixels.size()}, path_);
}

Result<void> ImageFileWriter::finish() {
  if (written_ != header_.count) {
    return Error{ErrorCode::invalid, fmt::format("{}: {} images were written, expected {}",
                                                 path_.string(), written_, header_.count)};
  }
  header_.statistics = levels_.statistics();
  TACHO_CHECK(write_at(fd_.get(), 0, header_bytes(header_), path_));
  TACHO_TRY(file, MappedFile::open(path_));
  Sha256 sum;
  sum.add(std::as_bytes(file.bytes().subspan(image_format::kChecked)));
  const Sha256::Digest digest = sum.digest();
  return write_at(fd_.get(), image_format::kChecksum,
                  {reinterpret_cast<const char*>(digest.data()), digest.size()}, path_);
}

}  // namespace tacho
