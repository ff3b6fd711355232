#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "training/data/catalog.h"
#include "training/data/fetch/test_archives.h"
#include "training/data/test_files.h"

// A dataset of two tiny files, and its archive.
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
                                          .accepts = "both files",
                                          .npm_package = "pair-data@1.0.0",
                                          .npm_folder = "package/data",
                                          .npm_bytes = 100};

inline void quiet(std::string_view) {}

inline void put_tgz(const std::filesystem::path& file, const Entries& entries) {
  put(file, archive_bytes(entries, ArchiveKind::tar_gz));
}

}  // namespace tacho
