#include "training/data/fetch/prepare_imdb.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/fetch/prepare.h"
#include "training/data/gz_file.h"
#include "training/data/locate.h"
#include "training/data/review_folder.h"
#include "training/data/sentences.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

struct FreeTar {
  void operator()(struct archive* handle) const { ::archive_read_free(handle); }
};

// The input of libarchive, whose own gzip filter does not verify the checksum.
struct TarSource {
  GzFile file;
  std::vector<char> block = std::vector<char>(1 << 18);
  std::optional<Error> error = {};

  // Returns the number of bytes, 0 at the end, or ARCHIVE_FATAL after setting `error`.
  la_ssize_t read() {
    const auto got = file.read(block);
    if (got.ok()) return static_cast<la_ssize_t>(*got);
    error = got.error();
    return ARCHIVE_FATAL;
  }

  static la_ssize_t call(struct archive* /*handle*/, void* self, const void** bytes) {
    auto* source = static_cast<TarSource*>(self);
    *bytes = source->block.data();
    return source->read();
  }
};

class TarReader {
 public:
  explicit TarReader(fs::path path, GzFile file)
      : path_(std::move(path)), source_{std::move(file)}, handle_(::archive_read_new()) {
    ::archive_read_support_format_tar(handle_.get());
    ::archive_read_support_filter_xz(handle_.get());
  }

  Result<Reviews> read() {
    if (::archive_read_open(handle_.get(), &source_, nullptr, TarSource::call, nullptr) !=
        ARCHIVE_OK) {
      return problem();
    }
    Reviews reviews;
    archive_entry* entry = nullptr;
    int status = ARCHIVE_OK;
    while ((status = ::archive_read_next_header(handle_.get(), &entry)) != ARCHIVE_EOF) {
      if (status < ARCHIVE_WARN) return problem();
      const char* path = ::archive_entry_pathname(entry);
      const bool is_file = ::archive_entry_filetype(entry) == AE_IFREG;
      if (path == nullptr || !is_file || !Reviews::is_review(path)) continue;
      TACHO_TRY(content, read_entry());
      TACHO_CHECK(reviews.add(path, std::move(content)).in(path_.string()));
    }
    TACHO_CHECK(read_to_the_end());
    return reviews;
  }

 private:
  // Stops soon after the size limit of a review, whatever the archive claims.
  Result<std::string> read_entry() {
    std::string content;
    std::array<char, 1 << 14> buffer;
    while (static_cast<std::int64_t>(content.size()) <= kLargestReview.count) {
      const la_ssize_t got = ::archive_read_data(handle_.get(), buffer.data(), buffer.size());
      if (got < 0) return problem();
      if (got == 0) break;
      content.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return content;
  }

  // The checksum is at the end.
  Result<void> read_to_the_end() {
    la_ssize_t got = 0;
    while ((got = source_.read()) > 0) {
    }
    if (got < 0) return problem();
    return {};
  }

  Error problem() {
    if (source_.error) return *source_.error;
    const char* text = ::archive_error_string(handle_.get());
    return {ErrorCode::invalid, fmt::format("{}: {}; expected aclImdb_v1.tar.gz", path_.string(),
                                            text != nullptr ? text : "cannot be read")};
  }

  fs::path path_;
  TarSource source_;
  std::unique_ptr<struct archive, FreeTar> handle_;
};

// Reads all reviews in a .tar or .tar.gz, such as aclImdb_v1.tar.gz, without unpacking it to disk.
Result<Reviews> read_review_archive(const fs::path& archive) {
  TACHO_TRY(file, GzFile::open(archive));
  return TarReader(archive, std::move(file)).read();
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

}  // namespace

bool has_review_tables(const fs::path& from) {
  std::error_code ignored;
  return fs::exists(file_in(from, "train.tsv"), ignored);
}

Result<std::vector<ClassLine>> count_reviews(const DatasetInfo& info, const fs::path& folder) {
  std::vector<ClassLine> rows = {{.name = "negative"}, {.name = "positive"}};
  for (const DatasetFile& file : info.files) {
    const fs::path path = file_in(folder, file.name);
    TACHO_TRY(reviews, read_sentences(path));
    const auto count = &file == &info.files.front() ? &ClassLine::train : &ClassLine::eval;
    for (const LabelledSentence& review : reviews) {
      ++(rows[static_cast<std::size_t>(review.label)].*count);
    }
    for (std::size_t label = 0; label < rows.size(); ++label) {
      const std::int64_t found = rows[label].*count;
      if (file.per_label == 0 || found == file.per_label) continue;
      return Error{ErrorCode::invalid,
                   fmt::format("{}: {} sentences of label {}, expected {}; to prepare only a part, "
                               "add --subset",
                               path.string(), found, label, file.per_label)};
    }
  }
  return rows;
}

Result<fs::path> prepare_imdb(const DatasetInfo& info, const fs::path& from, const fs::path& home,
                              const Say& say) {
  say(fmt::format("reading {}", from.filename().string()));
  TACHO_TRY(reviews, is_folder(from) ? read_review_folder(from) : read_review_archive(from));
  if (reviews.empty()) {
    return Error{ErrorCode::invalid, fmt::format("{}: contains no reviews; expected {}",
                                                 from.string(), kReviewRelease)};
  }
  const ScratchFolder scratch;
  TACHO_CHECK(
      write_file_atomically(scratch.path() / "train.tsv", reviews.table(Reviews::Part::train)));
  TACHO_CHECK(
      write_file_atomically(scratch.path() / "dev.tsv", reviews.table(Reviews::Part::test)));
  return prepare(info, scratch.path(), home, say).in(from.string());
}

}  // namespace tacho
