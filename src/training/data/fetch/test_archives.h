#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tacho {

enum class ArchiveKind { tar, tar_gz, tar_xz, zip, zip_stored };

// Paths and contents; the content "->x" makes a symbolic link to x, "=>x" a hard link; a path that
// ends with a slash is a folder.
using Entries = std::vector<std::pair<std::string, std::string>>;

inline la_ssize_t append_to_string(struct archive* /*out*/, void* text, const void* bytes,
                                   std::size_t size) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

inline void add_entry(struct archive* out, const std::string& path, const std::string& content) {
  const bool soft = content.starts_with("->");
  const bool hard = content.starts_with("=>");
  const bool folder = path.ends_with('/');
  archive_entry* entry = ::archive_entry_new();
  ::archive_entry_set_pathname(entry, path.c_str());
  ::archive_entry_set_filetype(entry, soft ? AE_IFLNK : folder ? AE_IFDIR : AE_IFREG);
  ::archive_entry_set_perm(entry, 0644);
  if (soft) ::archive_entry_set_symlink(entry, content.c_str() + 2);
  if (hard) ::archive_entry_set_hardlink(entry, content.c_str() + 2);
  const bool empty = soft || hard || folder;
  ::archive_entry_set_size(entry, empty ? 0 : static_cast<la_int64_t>(content.size()));
  ::archive_write_header(out, entry);
  if (!empty) ::archive_write_data(out, content.data(), content.size());
  ::archive_entry_free(entry);
}

inline std::string archive_bytes(const Entries& entries, ArchiveKind kind) {
  std::string bytes;
  struct archive* out = ::archive_write_new();
  if (kind == ArchiveKind::tar_gz) ::archive_write_add_filter_gzip(out);
  if (kind == ArchiveKind::tar_xz) ::archive_write_add_filter_xz(out);
  if (kind == ArchiveKind::zip || kind == ArchiveKind::zip_stored) {
    ::archive_write_set_format_zip(out);
    if (kind == ArchiveKind::zip_stored) ::archive_write_zip_set_compression_store(out);
  } else {
    ::archive_write_set_format_pax_restricted(out);
  }
  ::archive_write_set_bytes_in_last_block(out, 1);  // no padding after the end
  if (::archive_write_open(out, &bytes, nullptr, append_to_string, nullptr) != ARCHIVE_OK) {
    broken_invariant("archive_write_open");
  }
  for (const auto& [path, content] : entries) add_entry(out, path, content);
  ::archive_write_free(out);
  return bytes;
}

// Bytes that begin like an image.
inline std::string jpeg(const std::string& text) { return "\xFF\xD8\xFF\xE0" + text; }

}  // namespace tacho
