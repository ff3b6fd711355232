#include "training/data/fetch/verify_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>

#include "base/file.h"
#include "training/data/fetch/class_table.h"
#include "training/data/image_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

FileReport miscounted(std::string_view part, const fs::path& place, std::int64_t count,
                      std::int64_t expected) {
  return {part, FileState::wrong_count,
          fmt::format("{}: {} images, expected {}", place.string(), count, expected)};
}

// Compares the expected and actual count of each class in one part.
FileReport compare(std::string_view part, const fs::path& folder,
                   std::span<const ClassLine> expected, std::span<const ClassLine> there,
                   std::int64_t ClassLine::*count) {
  std::map<std::string_view, std::int64_t> counts;
  for (const ClassLine& row : there) counts[row.name] = row.*count;
  for (const ClassLine& row : expected) {
    const std::int64_t found = counts[row.name];
    if (found != row.*count) return miscounted(part, folder / part / row.name, found, row.*count);
    counts.erase(row.name);
  }
  for (const auto& [name, found] : counts) {
    if (found != 0) return miscounted(part, folder / part / name, found, 0);
  }
  return {part};
}

FileReport compare_total(std::string_view part, const fs::path& folder, std::size_t found,
                         std::int64_t expected) {
  const auto count = static_cast<std::int64_t>(found);
  if (expected == 0 || count == expected) return {part};
  return miscounted(part, folder / part, count, expected);
}

Result<void> check_magic(const fs::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error(file, errno);
  std::array<char, kImageMagicBytes> bytes{};
  const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
  if (got < 0) return system_error(file, errno);
  if (begins_like_an_image({bytes.data(), static_cast<std::size_t>(got)})) return {};
  return Error{ErrorCode::invalid, fmt::format("{}: not a JPEG or PNG image", file.string())};
}

// Reports the first file that is not an image, and how many more there are.
void check_files(const ImageList& list, FileReport& report, Progress& progress,
                 const Watch& watch) {
  std::string first;
  std::int64_t more = -1;
  for (const std::string& file : list.files) {
    watch.tell(progress);
    ++progress.done;
    const auto good = check_magic(list.root / file);
    if (good.ok()) continue;
    if (++more == 0) first = good.error().message;
  }
  if (more < 0 || report.state != FileState::ok) return;
  report.state = FileState::unreadable;
  report.problem = more == 0 ? first : fmt::format("{}, and {} more", first, more);
}

}  // namespace

std::vector<FileReport> verify_folder(const DatasetInfo& info, const fs::path& folder,
                                      const Say& say, const Watch& watch) {
  const std::string_view eval_part = eval_part_of(folder);
  say(fmt::format("listing {}", folder.string()));
  const auto images = load_image_folder(folder);
  if (!images.ok()) {
    const bool missing = images.error().code == ErrorCode::not_found;
    return {
        {kTrainPart, missing ? FileState::missing : FileState::unreadable, images.error().message}};
  }
  if (images->skipped > 0) {
    say(fmt::format("skipped {} entries that are not images", images->skipped));
  }
  FileReport train;
  FileReport eval;
  const auto expected = read_class_table(folder);
  if (expected.ok()) {
    const auto there = count_classes(*images);
    train = compare(kTrainPart, folder, *expected, there, &ClassLine::train);
    eval = compare(eval_part, folder, *expected, there, &ClassLine::eval);
  } else {
    train = compare_total(kTrainPart, folder, images->train.files.size(), info.train_images);
    eval = compare_total(eval_part, folder, images->eval.files.size(), info.eval_images);
  }
  Progress progress{
      .what = info.name,
      .total = static_cast<std::int64_t>(images->train.files.size() + images->eval.files.size()),
      .unit = Progress::Unit::files};
  check_files(images->train, train, progress, watch);
  check_files(images->eval, eval, progress, watch);
  std::vector<FileReport> reports = {train, eval};
  if (!expected.ok() && expected.error().code != ErrorCode::not_found) {
    reports.push_back({kClassTable, FileState::unreadable, expected.error().message});
  }
  return reports;
}

}  // namespace tacho
