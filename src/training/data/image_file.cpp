#include "training/data/image_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/sha256.h"
#include "base/split.h"
#include "training/data/little_endian.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using Content = std::span<const std::uint8_t>;

// Reads the fields of the header one after the other; the caller has checked its size.
class HeaderFields {
 public:
  explicit HeaderFields(Content bytes) : bytes_(bytes) {}

  std::uint64_t integer(std::size_t size) {
    const std::uint64_t value = little_endian::read(bytes_, 0, size);
    bytes_ = bytes_.subspan(size);
    return value;
  }
  float real() {
    const auto bits = static_cast<std::uint32_t>(integer(4));
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  Content bytes_;
};

Error bad_header(std::string_view what) {
  return {ErrorCode::invalid,
          fmt::format("{}; the file is damaged, prepare the dataset again", what)};
}

bool is_usable(const ChannelStatistics& statistics) {
  return std::all_of(statistics.mean.begin(), statistics.mean.end(),
                     [](float mean) { return mean >= 0 && mean <= 1; }) &&
         std::all_of(statistics.deviation.begin(), statistics.deviation.end(),
                     [](float deviation) { return deviation > 0 && deviation <= 1; });
}

Result<void> check_version(Content bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(image_format::kMagic)) {
    return Error{ErrorCode::invalid, "not a file of prepared images; prepare the dataset again"};
  }
  if (bytes.size() < image_format::kNames) return bad_header("the header is cut off");
  const auto version = HeaderFields(bytes.subspan(image_format::kMagic.size())).integer(4);
  if (version > image_format::kVersion) {
    return Error{ErrorCode::newer, fmt::format("version {} of the format; this program reads up to "
                                               "{}: update it or prepare the dataset again",
                                               version, image_format::kVersion)};
  }
  if (version != image_format::kVersion) return bad_header("no valid version");
  return {};
}

struct Shape {
  ImageFileHeader header;  // without the class names
  std::int64_t classes = 0;
  std::size_t names_bytes = 0;

  [[nodiscard]] std::size_t labels_at() const { return image_format::kNames + names_bytes; }
  [[nodiscard]] std::size_t pixels_at() const {
    return labels_at() + static_cast<std::size_t>(header.count) * image_format::kLabelBytes;
  }
  [[nodiscard]] std::size_t size() const {
    return pixels_at() + static_cast<std::size_t>(header.count * header.image_bytes());
  }
};

Result<Shape> read_shape(Content bytes) {
  HeaderFields fields(bytes.subspan(image_format::kChecked));
  Shape shape;
  // Compared before the conversion, which could make a large number negative.
  const std::uint64_t count = fields.integer(8);
  if (count > image_format::kMaxCount) return bad_header("too many images");
  shape.header.count = static_cast<std::int64_t>(count);
  for (std::int64_t* field :
       {&shape.header.channels, &shape.header.height, &shape.header.width, &shape.classes}) {
    *field = static_cast<std::int64_t>(fields.integer(4));
  }
  shape.names_bytes = static_cast<std::size_t>(fields.integer(4));
  for (float& mean : shape.header.statistics.mean) mean = fields.real();
  for (float& deviation : shape.header.statistics.deviation) deviation = fields.real();
  const auto is_side = [](std::int64_t n) { return n >= 1 && n <= image_format::kMaxSide; };
  if (shape.header.count < 1) return bad_header("no images");
  if (shape.header.channels != 1 && shape.header.channels != 3) {
    return bad_header(fmt::format("{} channels, expected 1 or 3", shape.header.channels));
  }
  if (!is_side(shape.header.height) || !is_side(shape.header.width)) {
    return bad_header(
        fmt::format("images of {} x {} pixels", shape.header.width, shape.header.height));
  }
  if (shape.classes < 1 || shape.classes > image_format::kMaxClasses) {
    return bad_header(fmt::format("{} classes", shape.classes));
  }
  if (!is_usable(shape.header.statistics)) return bad_header("no valid mean or deviation");
  return shape;
}

Result<std::vector<std::string>> read_names(Content bytes, std::int64_t classes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (std::count(text.begin(), text.end(), '\n') != classes || !text.ends_with('\n')) {
    return bad_header(fmt::format("not one name for each of {} classes", classes));
  }
  std::vector<std::string> names;
  for (const std::string_view name : lines_of(text)) names.emplace_back(name);
  return names;
}

Result<std::vector<std::int64_t>> read_image_labels(Content bytes, std::int64_t classes) {
  std::vector<std::int64_t> labels(bytes.size() / image_format::kLabelBytes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = bytes[2 * i] | bytes[2 * i + 1] << 8U;
    if (labels[i] >= classes) {
      return bad_header(
          fmt::format("image {}: label {} (expected 0 to {})", i + 1, labels[i], classes - 1));
    }
  }
  return labels;
}

}  // namespace

bool has_image_files(const fs::path& folder) {
  std::error_code unreadable;
  return fs::exists(folder / kTrainImages, unreadable) ||
         fs::exists(folder / kEvalImages, unreadable);
}

Result<ImageFile> ImageFile::open(const fs::path& path) {
  TACHO_TRY(file, MappedFile::open(path));
  const Content bytes = file.bytes();
  TACHO_CHECK(check_version(bytes).in(path.string()));
  TACHO_TRY(shape, read_shape(bytes).in(path.string()));
  if (bytes.size() != shape.size()) {
    return bad_header(fmt::format("{} bytes, expected {}", bytes.size(), shape.size()))
        .in(path.string());
  }
  TACHO_TRY(names, read_names(bytes.subspan(image_format::kNames, shape.names_bytes), shape.classes)
                       .in(path.string()));
  TACHO_TRY(labels, read_image_labels(
                        bytes.subspan(shape.labels_at(), shape.pixels_at() - shape.labels_at()),
                        shape.classes)
                        .in(path.string()));
  shape.header.classes = std::move(names);
  return ImageFile(std::move(file), std::move(shape.header), std::move(labels));
}

std::span<const std::uint8_t> ImageFile::pixels() const {
  return file_.bytes().last(static_cast<std::size_t>(header_.count * header_.image_bytes()));
}

bool ImageFile::checksum_matches() const {
  Sha256 sum;
  sum.add(std::as_bytes(file_.bytes().subspan(image_format::kChecked)));
  const Sha256::Digest digest = sum.digest();
  return std::equal(digest.begin(), digest.end(), file_.bytes().begin() + image_format::kChecksum);
}

}  // namespace tacho
