#include "data/fetch/prepare_imdb.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "data/fetch/prepare.h"
#include "data/fetch/review_archive.h"
#include "data/locate.h"
#include "data/review_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

}  // namespace

bool holds_review_tables(const fs::path& from) {
  std::error_code ignored;
  return fs::exists(file_in(from, "train.tsv"), ignored);
}

Result<fs::path> prepare_imdb(const DatasetInfo& info, const fs::path& from, const fs::path& home,
                              const Say& say) {
  say(fmt::format("reading {}", from.filename().string()));
  TACHO_TRY(reviews, is_folder(from) ? read_review_folder(from) : read_review_archive(from));
  if (reviews.empty()) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: holds no reviews; expected {}", from.string(), kReviewRelease)};
  }
  const ScratchFolder scratch;
  TACHO_CHECK(
      write_file_atomically(scratch.path() / "train.tsv", reviews.table(Reviews::Part::train)));
  TACHO_CHECK(
      write_file_atomically(scratch.path() / "dev.tsv", reviews.table(Reviews::Part::test)));
  return prepare(info, scratch.path(), home, say).in(from.string());
}

}  // namespace tacho
