#include "training/data/fetch/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 1 << 20;

std::string words_of(struct archive* handle) {
  const char* text = ::archive_error_string(handle);
  if (text == nullptr) return "cannot be read";
  const std::string words = text;
  return words == "Unrecognized archive format" ? "not a tar or zip archive" : words;
}

bool leads_elsewhere(const fs::path& path) {
  return path.empty() || path.is_absolute() ||
         std::find(path.begin(), path.end(), fs::path("..")) != path.end();
}

std::string_view without_dots(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

// Read callback of an archive within another.
la_ssize_t read_outer(struct archive* inner, void* outer, const void** bytes) {
  const auto block = static_cast<ArchiveReader*>(outer)->block();
  if (!block.ok()) {
    ::archive_set_error(inner, block.error().code == ErrorCode::io ? EIO : EINVAL, "%s",
                        "the enclosing archive is truncated or damaged");
    return ARCHIVE_FATAL;
  }
  *bytes = block->data();
  return static_cast<la_ssize_t>(block->size());
}

}  // namespace

void ArchiveReader::Close::operator()(struct archive* handle) const { ::archive_read_free(handle); }

ArchiveReader::ArchiveReader(std::string name, Bytes total)
    : handle_(::archive_read_new()), name_(std::move(name)), total_(total) {
  if (!handle_) broken_invariant("no memory for an archive");
  ::archive_read_support_format_tar(handle_.get());
}

Result<ArchiveReader> ArchiveReader::open(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return system_error(file, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::invalid, fmt::format("{}: not a file", file.string())};
  }
  ArchiveReader reader(file.string(), Bytes{status.st_size});
  ::archive_read_support_format_zip(reader.handle_.get());
  ::archive_read_support_filter_gzip(reader.handle_.get());
  ::archive_read_support_filter_xz(reader.handle_.get());
  if (::archive_read_open_filename(reader.handle_.get(), file.c_str(), kBlock) != ARCHIVE_OK) {
    return reader.library_says("");
  }
  return reader;
}

Result<ArchiveReader> ArchiveReader::within(ArchiveReader& outer) {
  ArchiveReader reader(fmt::format("{}: {}", outer.name_, outer.path_), outer.size());
  if (::archive_read_open(reader.handle_.get(), &outer, nullptr, read_outer, nullptr) !=
      ARCHIVE_OK) {
    return reader.library_says("");
  }
  return reader;
}

Result<bool> ArchiveReader::next_entry() {
  archive_entry* entry = nullptr;
  const int status = ::archive_read_next_header(handle_.get(), &entry);
  if (status == ARCHIVE_EOF) return false;
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
    return library_says(path_.empty() ? "" : fmt::format(": after {}", path_));
  }
  const char* path = ::archive_entry_pathname(entry);
  path_ = without_dots(path != nullptr ? path : "");
  size_ = Bytes{::archive_entry_size(entry)};
  offset_ = 0;
  const auto type = ::archive_entry_filetype(entry);
  const bool link = type == AE_IFLNK || ::archive_entry_hardlink(entry) != nullptr;
  kind_ = link               ? Kind::link
          : type == AE_IFREG ? Kind::file
          : type == AE_IFDIR ? Kind::folder
                             : Kind::other;
  return true;
}

Result<bool> ArchiveReader::next() {
  while (true) {
    TACHO_TRY(more, next_entry());
    if (!more) return false;
    if (kind_ == Kind::folder) continue;
    if (kind_ == Kind::link) return bad("a link; only files are allowed");
    if (kind_ == Kind::other) return bad("neither a file nor a folder");
    if (leads_elsewhere(path_)) return bad("its path leads outside of the target folder");
    return true;
  }
}

Result<std::string_view> ArchiveReader::block() {
  while (true) {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = ::archive_read_data_block(handle_.get(), &data, &size, &offset);
    if (status == ARCHIVE_EOF) return std::string_view{};
    if (status != ARCHIVE_OK) return library_says(": " + path_);
    if (size == 0) continue;
    if (offset != offset_) return bad("sparse files are not supported");
    offset_ += static_cast<std::int64_t>(size);
    return std::string_view(static_cast<const char*>(data), size);
  }
}

Result<std::string_view> ArchiveReader::content(Bytes limit) {
  content_.clear();
  while (true) {
    TACHO_TRY(bytes, block());
    if (bytes.empty()) return std::string_view(content_);
    if (static_cast<std::int64_t>(content_.size() + bytes.size()) > limit.count) {
      return bad(fmt::format("larger than the limit of {}", human(limit)));
    }
    content_ += bytes;
  }
}

Progress ArchiveReader::progress() const {
  constexpr int kAsItLiesOnTheDisk = -1;
  return {.what = name_,
          .done = ::archive_filter_bytes(handle_.get(), kAsItLiesOnTheDisk),
          .total = total_.count};
}

Error ArchiveReader::bad(std::string_view why) const {
  return {ErrorCode::invalid,
          fmt::format("{}: {}: {}", name_, path_.empty() ? "an unnamed entry" : path_, why)};
}

Error ArchiveReader::library_says(std::string_view where) const {
  const bool system = ::archive_errno(handle_.get()) == EIO;
  return {system ? ErrorCode::io : ErrorCode::invalid,
          fmt::format("{}{}: {}", name_, where, words_of(handle_.get()))};
}

}  // namespace tacho
