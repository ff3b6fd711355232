#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "training/data/channel_levels.h"

namespace tacho {

// Names of an image dataset's prepared files, one per part.
inline constexpr std::string_view kTrainImages = "train.images";
inline constexpr std::string_view kEvalImages = "eval.images";
// True if a folder has one of them.
bool has_image_files(const std::filesystem::path& folder);

// Describes the images of a file, which have the same size.
struct ImageFileHeader {
  std::int64_t count = 0;
  std::int64_t channels = 0;  // 1 or 3
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::string> classes;  // names, by label
  ChannelStatistics statistics = {};

  [[nodiscard]] std::int64_t image_bytes() const { return channels * height * width; }
};

// A file of decoded images, mapped into memory. Integers are little-endian:
//
//   offset  bytes
//        0      8  "TACHOIMG"
//        8      4  version of the format: 1
//       12     32  SHA-256 of all bytes from offset 44 to the end
//       44      8  number of images
//       52     16  channels, height, width, classes: 4 each
//       68      4  bytes of the class names
//       72     24  mean and deviation of 3 channels, from 0 to 1: 32-bit floats
//       96         class names, each with a line end
//                  labels: 2 each
//                  pixels: 1 each, image by image, channel by channel, row by row
class ImageFile {
 public:
  // Checks the header, the exact size of the file and all labels, but not the checksum, for which
  // the whole file must be read.
  static Result<ImageFile> open(const std::filesystem::path& path);

  [[nodiscard]] const ImageFileHeader& header() const { return header_; }
  [[nodiscard]] const std::vector<std::int64_t>& labels() const { return labels_; }
  [[nodiscard]] std::span<const std::uint8_t> pixels() const;
  [[nodiscard]] bool checksum_matches() const;

 private:
  ImageFile(MappedFile file, ImageFileHeader header, std::vector<std::int64_t> labels)
      : file_(std::move(file)), header_(std::move(header)), labels_(std::move(labels)) {}

  MappedFile file_;
  ImageFileHeader header_;
  std::vector<std::int64_t> labels_;
};

// Offsets and limits of the format, for its reader and its writer.
namespace image_format {
inline constexpr std::string_view kMagic = "TACHOIMG";
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kChecksum = 12;
inline constexpr std::size_t kChecked = 44;  // begin of the bytes that the checksum covers
inline constexpr std::size_t kNames = 96;    // size of all before the class names
inline constexpr std::size_t kLabelBytes = 2;
inline constexpr std::int64_t kMaxClasses = 65'536;
inline constexpr std::int64_t kMaxSide = 4096;
inline constexpr std::int64_t kMaxCount = 1'000'000'000;
}  // namespace image_format

}  // namespace tacho
