#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "training/data/image_file.h"

namespace tacho {

// Writes an ImageFile, the images in any order. The file is complete only after finish(): write it
// to a folder that becomes visible afterwards.
class ImageFileWriter {
 public:
  // Computes count and statistics of the header itself. Each label must be below the number of
  // classes, and class names must not contain a line end.
  static Result<ImageFileWriter> create(std::filesystem::path path, ImageFileHeader header,
                                        std::span<const std::int64_t> labels);

  // Every image must be written once.
  Result<void> put(std::int64_t index, std::span<const std::uint8_t> pixels);
  // Writes statistics and checksum; ErrorCode::invalid if images are missing.
  Result<void> finish();

 private:
  ImageFileWriter(std::filesystem::path path, ImageFileHeader header, UniqueFd fd,
                  std::int64_t pixels_at)
      : path_(std::move(path)),
        header_(std::move(header)),
        fd_(std::move(fd)),
        pixels_at_(pixels_at) {}

  std::filesystem::path path_;
  ImageFileHeader header_;
  UniqueFd fd_;
  std::int64_t pixels_at_;
  std::int64_t written_ = 0;
  ChannelLevels levels_;
};

}  // namespace tacho
