#include "training/data/fetch/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/sha256.h"
#include "training/data/cifar.h"
#include "training/data/documents.h"
#include "training/data/fetch/class_table.h"
#include "training/data/fetch/verify_folder.h"
#include "training/data/gz_file.h"
#include "training/data/image_file.h"
#include "training/data/locate.h"
#include "training/data/sentences.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

struct Digest {
  std::int64_t bytes = 0;
  std::string sha256;
};

// Computes the digest of the uncompressed content. Stops soon after `most` bytes, so that a small
// compressed file cannot take hours.
Result<Digest> digest_of(const fs::path& path, std::int64_t most) {
  TACHO_TRY(file, GzFile::open(path));
  Sha256 sum;
  Digest digest;
  std::vector<char> buffer(1 << 18);
  for (std::size_t got = buffer.size(); got == buffer.size() && digest.bytes <= most;) {
    TACHO_TRY(count, file.read(buffer));
    got = count;
    digest.bytes += static_cast<std::int64_t>(got);
    sum.add(std::string_view(buffer.data(), got));
  }
  digest.sha256 = hex(sum.digest());
  return digest;
}

FileReport refused(const DatasetFile& file, const Error& error) {
  const bool missing = error.code == ErrorCode::not_found;
  return {file.name, missing ? FileState::missing : FileState::unreadable, error.message};
}

FileReport verify_content(const DatasetFile& file, const fs::path& path) {
  const auto digest = digest_of(path, file.bytes);
  if (!digest.ok()) return refused(file, digest.error());
  if (digest->bytes > file.bytes) {
    return {file.name, FileState::wrong_size,
            fmt::format("{}: more than the expected {} bytes", path.string(), file.bytes)};
  }
  if (digest->bytes < file.bytes) {
    return {file.name, FileState::wrong_size,
            fmt::format("{}: {} bytes, expected {}", path.string(), digest->bytes, file.bytes)};
  }
  if (digest->sha256 != file.sha256) {
    return {file.name, FileState::wrong_checksum,
            fmt::format("{}: its SHA-256 is {}, expected {}", path.string(), digest->sha256,
                        file.sha256)};
  }
  return {file.name};
}

FileReport verify_image_file(const DatasetInfo& info, std::string_view name, const fs::path& path) {
  const auto file = ImageFile::open(path);
  if (!file.ok()) {
    const bool missing = file.error().code == ErrorCode::not_found;
    return {name, missing ? FileState::missing : FileState::unreadable, file.error().message};
  }
  const ImageFileHeader& header = file->header();
  if (header.channels != 3 || header.height != info.side || header.width != info.side) {
    return {name, FileState::wrong_size,
            fmt::format("{}: images of {} x {} x {}, expected 3 x {} x {}", path.string(),
                        header.channels, header.height, header.width, info.side, info.side)};
  }
  if (!file->checksum_matches()) {
    return {name, FileState::wrong_checksum,
            fmt::format("{}: its content does not match its checksum; prepare the dataset again",
                        path.string())};
  }
  return {name};
}

std::vector<FileReport> verify_image_files(const DatasetInfo& info, const fs::path& folder,
                                           const Say& say) {
  std::vector<FileReport> reports;
  for (const std::string_view name : {kTrainImages, kEvalImages}) {
    say(fmt::format("checking {}", name));
    reports.push_back(verify_image_file(info, name, folder / name));
  }
  return reports;
}

FileReport verify_cifar(const DatasetInfo& info, const DatasetFile& file, const fs::path& path) {
  ImageSet unused;
  const auto read = append_cifar(path, file.bytes, cifar_labels_of(info), unused);
  return read.ok() ? FileReport{file.name} : refused(file, read.error());
}

// Expected number of sentences of labels 0 and 1; 0 for any. A prepared part of the reviews has its
// counts in classes.tsv.
std::array<std::int64_t, 2> expected_sentences(const DatasetInfo& info, const DatasetFile& file,
                                               const fs::path& folder) {
  if (info.packing == Packing::reviews) {
    const auto rows = read_class_table(folder);
    const auto count = &file == &info.files.front() ? &ClassLine::train : &ClassLine::eval;
    if (rows.ok() && rows->size() == 2) return {rows->front().*count, rows->back().*count};
  }
  return {file.per_label, file.per_label};
}

FileReport verify_sentences(const DatasetInfo& info, const DatasetFile& file,
                            const fs::path& path) {
  const auto sentences = read_sentences(path);
  if (!sentences.ok()) return refused(file, sentences.error());
  const auto expected = expected_sentences(info, file, path.parent_path());
  for (const std::int64_t label : {0, 1}) {
    const std::int64_t wanted = expected[static_cast<std::size_t>(label)];
    const auto count = std::count_if(
        sentences->begin(), sentences->end(),
        [label](const LabelledSentence& sentence) { return sentence.label == label; });
    if (wanted == 0 || count == wanted) continue;
    return {file.name, FileState::wrong_count,
            fmt::format("{}: {} sentences of label {}, expected {}", path.string(), count, label,
                        wanted)};
  }
  return {file.name};
}

FileReport verify_file(const DatasetInfo& info, const DatasetFile& file, const fs::path& path) {
  if (!file.sha256.empty()) return verify_content(file, path);
  // A file without a checksum is verified by its reader.
  const bool cifar = info.form == DatasetForm::cifar10 || info.form == DatasetForm::cifar100;
  return cifar ? verify_cifar(info, file, path) : verify_sentences(info, file, path);
}

// One report per part.
std::vector<FileReport> verify_documents(const fs::path& folder, const Say& say) {
  const auto files = find_text_files(folder);
  if (!files.ok()) return {{"text", FileState::missing, files.error().message}};
  std::vector<FileReport> reports;
  for (const auto& [name, part] :
       {std::pair{"training text", &files->train}, {"evaluation text", &files->eval}}) {
    if (part->empty()) continue;
    FileReport& report = reports.emplace_back(FileReport{name});
    for (const fs::path& file : *part) {
      say(fmt::format("checking {}", file.filename().string()));
      const auto read = read_documents(file, [](const Document&) { return Result<void>(); });
      if (!read.ok()) report = {name, FileState::unreadable, read.error().message};
    }
  }
  return reports;
}

}  // namespace

std::vector<FileReport> verify(const DatasetInfo& info, const fs::path& folder, const Say& say,
                               const Watch& watch) {
  if (info.side > 0 && has_image_files(folder)) return verify_image_files(info, folder, say);
  if (info.form == DatasetForm::image_folder) return verify_folder(info, folder, say, watch);
  if (info.form == DatasetForm::documents) return verify_documents(folder, say);
  std::vector<FileReport> reports;
  for (const DatasetFile& file : info.files) {
    const fs::path path = file_in(folder, file.name);
    say(fmt::format("checking {}", file.name));
    reports.push_back(verify_file(info, file, path));
  }
  return reports;
}

Result<void> check(std::span<const FileReport> reports) {
  for (const FileReport& report : reports) {
    if (report.state == FileState::ok) continue;
    const bool missing = report.state == FileState::missing;
    return Error{missing ? ErrorCode::not_found : ErrorCode::invalid, report.problem};
  }
  return {};
}

}  // namespace tacho
