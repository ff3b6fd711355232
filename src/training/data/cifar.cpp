#include "training/data/cifar.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

#include "training/data/gz_file.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kChannels = 3;
constexpr std::int64_t kSide = 32;
constexpr std::size_t kPixels = kChannels * kSide * kSide;

// Number of classes for each label byte of a record; the last byte is the label.
constexpr std::array<std::uint8_t, 1> kOfTen = {10};
constexpr std::array<std::uint8_t, 2> kOfHundred = {20, 100};

std::span<const std::uint8_t> classes_of(CifarLabels labels) {
  if (labels == CifarLabels::one) return kOfTen;
  return kOfHundred;
}

Error wrong(const fs::path& file, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("{}: {}", file.string(), what)};
}

Result<void> check_labels(std::span<const std::uint8_t> record,
                          std::span<const std::uint8_t> classes) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (record[i] < classes[i]) continue;
    return Error{ErrorCode::invalid,
                 fmt::format("{}label {} (expected 0 to {})",
                             i + 1 < classes.size() ? "coarse " : "", record[i], classes[i] - 1)};
  }
  return {};
}

}  // namespace

Result<void> append_cifar(const fs::path& file, std::int64_t bytes, CifarLabels labels,
                          ImageSet& set) {
  const auto classes = classes_of(labels);
  std::vector<std::uint8_t> record(classes.size() + kPixels);
  const std::int64_t records = bytes / static_cast<std::int64_t>(record.size());
  TACHO_TRY(content, GzFile::open(file));
  set.channels = kChannels;
  set.height = kSide;
  set.width = kSide;
  for (std::int64_t number = 1;; ++number) {
    TACHO_TRY(got, content.read({reinterpret_cast<char*>(record.data()), record.size()}));
    if (got == 0 && number > records) return {};
    if (number > records) return wrong(file, fmt::format("more than the expected {} bytes", bytes));
    if (got < record.size()) {
      const auto there = (number - 1) * static_cast<std::int64_t>(record.size());
      return wrong(file, fmt::format("{} bytes, expected {}",
                                     there + static_cast<std::int64_t>(got), bytes));
    }
    if (auto good = check_labels(record, classes); !good.ok()) {
      return wrong(file, fmt::format("record {}: {}", number, good.error().message));
    }
    ++set.count;
    set.labels.push_back(record[classes.size() - 1]);
    set.pixels.insert(set.pixels.end(),
                      record.begin() + static_cast<std::ptrdiff_t>(classes.size()), record.end());
  }
}

CifarLabels cifar_labels_of(const DatasetInfo& info) {
  return info.form == DatasetForm::cifar100 ? CifarLabels::coarse_and_fine : CifarLabels::one;
}

Result<ImageData> load_cifar(const DatasetInfo& info, const fs::path& folder) {
  const CifarLabels labels = cifar_labels_of(info);
  ImageData data{.classes = info.classes};
  for (const DatasetFile& file : info.files) {
    ImageSet& part = &file == &info.files.back() ? data.eval : data.train;
    TACHO_CHECK(append_cifar(file_in(folder, file.name), file.bytes, labels, part));
  }
  return data;
}

}  // namespace tacho
