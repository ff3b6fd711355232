#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/catalog.h"

// A dataset of two tiny files for the tests of this folder, and the archive it could come in.
namespace tacho {

inline constexpr std::array kTestFiles = {
    DatasetFile{"one", 5, "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e"},
    DatasetFile{"two", 6, "16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4"},
};
inline constexpr std::string_view kContentOfOne = "first";
inline constexpr std::string_view kContentOfTwo = "second";

inline constexpr DatasetInfo kTestDataset{.name = "pair",
                                          .input = InputKind::image,
                                          .help = "",
                                          .classes = 2,
                                          .files = kTestFiles,
                                          .npm_package = "pair-data@1.0.0",
                                          .npm_folder = "package/data"};

inline void quiet(std::string_view) {}

// Paths and contents; a content of "->x" makes a symbolic link to x.
inline void put_tgz(const std::filesystem::path& file,
                    const std::vector<std::pair<std::string, std::string>>& entries) {
  struct archive* out = ::archive_write_new();
  ::archive_write_add_filter_gzip(out);
  ::archive_write_set_format_pax_restricted(out);
  if (::archive_write_open_filename(out, file.c_str()) != ARCHIVE_OK) broken_invariant("put_tgz");
  for (const auto& [path, content] : entries) {
    const bool link = content.starts_with("->");
    archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, path.c_str());
    ::archive_entry_set_filetype(entry, link ? AE_IFLNK : AE_IFREG);
    ::archive_entry_set_perm(entry, 0644);
    if (link) ::archive_entry_set_symlink(entry, content.c_str() + 2);
    ::archive_entry_set_size(entry, link ? 0 : static_cast<la_int64_t>(content.size()));
    ::archive_write_header(out, entry);
    if (!link) ::archive_write_data(out, content.data(), content.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_free(out);
}

}  // namespace tacho
