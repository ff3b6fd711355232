// Archives of datasets: .tar, .tar.gz, .tar.xz, .zip, a .tar in a .tar, and the .mat file of a
// devkit.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/scratch_folder.h"
#include "fuzz_loop.h"
#include "training/data/fetch/archive_reader.h"
#include "training/data/fetch/devkit.h"
#include "training/data/fetch/meta_mat.h"
#include "training/data/fetch/test_archives.h"
#include "training/data/fetch/test_imagenet.h"

namespace tacho {
namespace {

constexpr Bytes kMostContent{1 << 20};

std::size_t entries_of(ArchiveReader& archive, int depth) {
  std::size_t count = 0;
  while (true) {
    const auto more = archive.next_entry();
    if (!more.ok() || !*more) return count;
    ++count;
    if (!archive.is_file()) continue;
    if (depth == 0 && archive.path().ends_with(".tar")) {
      if (auto inner = ArchiveReader::within(archive); inner.ok()) entries_of(*inner, depth + 1);
    } else {
      (void)archive.content(kMostContent).ok();
    }
  }
}

bool read_all(const std::string& bytes, const std::filesystem::path& file) {
  std::ofstream(file, std::ios::binary) << bytes;
  bool any = parse_ground_truth(bytes, 1000).ok();
  if (auto archive = ArchiveReader::open(file); archive.ok()) any = entries_of(*archive, 0) > 0;
  if (auto archive = ArchiveReader::open(file); archive.ok()) {
    while (true) {
      const auto more = archive->next();
      if (!more.ok() || !*more) break;
    }
  }
  // Read in a child process, which takes a while to start.
  if (bytes.starts_with("MATLAB")) any = read_meta_mat(file).ok() || any;
  return any;
}

ArchiveKind any_kind(Random& random) {
  constexpr std::array kKinds = {ArchiveKind::tar, ArchiveKind::tar_gz, ArchiveKind::tar_xz,
                                 ArchiveKind::zip, ArchiveKind::zip_stored};
  return kKinds[static_cast<std::size_t>(random.below(kKinds.size()))];
}

// Many entries, long names, nested folders, and files that compress well.
std::string made_archive(Random& random) {
  Entries entries;
  const std::size_t size = fuzz_size(random, 4 << 20);
  switch (random.below(4)) {
    case 0:
      for (std::size_t i = 0; i < size / 1024; ++i) entries.emplace_back(std::to_string(i), "x");
      break;
    case 1:
      // libarchive's writer overruns a buffer for names beyond the zip format's limit of 64 KiB.
      entries.emplace_back(repeated("a/", std::min<std::size_t>(1 + size / 64, 30'000)) + "x", "x");
      break;
    case 2:
      entries.emplace_back("zeros", std::string(size, '\0'));
      break;
    default:
      entries.emplace_back("n01.tar",
                           archive_bytes({{"a.JPEG", std::string(size, '\1')}}, ArchiveKind::tar));
      break;
  }
  return archive_bytes(entries, any_kind(random));
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  using namespace tacho;
  const ScratchFolder folder;
  const auto file = folder.path() / "file";
  const Entries entries = {{"a/", ""},
                           {"a/b.txt", "words"},
                           {"a/c", "->b.txt"},
                           {"d", "=>a/b.txt"},
                           {"n01.tar", archive_bytes({{"x.JPEG", jpeg("x")}}, ArchiveKind::tar)}};
  const std::string mat =
      meta_mat_bytes({{.number = 1, .id = "n00000001", .words = "tench", .train_images = 3},
                      {.number = 2, .id = "n00000002", .words = "shark", .children = 1}});
  return fuzz(argc, argv,
              {.samples = {archive_bytes(entries, ArchiveKind::tar),
                           archive_bytes(entries, ArchiveKind::tar_gz),
                           archive_bytes(entries, ArchiveKind::tar_xz),
                           archive_bytes(entries, ArchiveKind::zip),
                           archive_bytes(entries, ArchiveKind::zip_stored), mat, "3\n1\n2\n"},
               .generate = made_archive},
              [&](const std::string& bytes) { return read_all(bytes, file); });
}
