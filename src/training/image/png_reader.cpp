#include "training/image/png_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "training/image/decoding.h"

namespace tacho {
namespace {

constexpr std::size_t kSignature = 8;
constexpr std::int64_t kDeflateLimit = 1032;  // largest compression ratio of deflate

std::uint32_t big_endian(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
         std::uint32_t{bytes[2]} << 8U | bytes[3];
}

// Walks the chunks by their lengths to IEND.
bool has_end_chunk(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kAround = 12;  // length, name, checksum
  std::size_t at = kSignature;
  while (bytes.size() >= at + kAround) {
    const std::size_t length = big_endian(bytes.subspan(at, 4));
    if (bytes.size() - at - kAround < length) return false;
    if (std::memcmp(bytes.data() + at + 4, "IEND", 4) == 0) return true;
    at += kAround + length;
  }
  return false;
}

void part(const std::uint8_t* interleaved, std::size_t channels, std::size_t channel,
          std::uint8_t* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = interleaved[i * channels + channel];
}

}  // namespace

PngReader::PngReader() {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, leave, ignore);
  if (png_ != nullptr) info_ = png_create_info_struct(png_);
}

PngReader::~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

void PngReader::leave(png_structp png, png_const_charp message) {
  auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::strncpy(reader->message_.data(), message, reader->message_.size() - 1);
  std::longjmp(reader->escape_, 1);
}

// Warnings are about chunks without pixels; problems with pixel chunks are errors.
void PngReader::ignore(png_structp /*png*/, png_const_charp /*message*/) {}

void PngReader::give(png_structp png, png_bytep out, std::size_t count) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (reader->rest_.size() < count) png_error(png, "the file is truncated");
  std::memcpy(out, reader->rest_.data(), count);
  reader->rest_ = reader->rest_.subspan(count);
}

// Calls libpng. `step` must not hold objects with destructors: an error jumps out of it.
template <class Step>
Result<void> PngReader::guarded(Step step) {
  if (setjmp(escape_) != 0) return damaged("PNG", message_.data());
  step();
  return {};
}

Result<ImageSize> PngReader::open(std::span<const std::uint8_t> bytes) {
  if (info_ == nullptr)
    return Error{ErrorCode::out_of_memory, "out of memory while reading the PNG"};
  if (!has_end_chunk(bytes)) return damaged("PNG", "the file is truncated");
  rest_ = bytes;
  TACHO_CHECK(guarded([this] {
    png_set_read_fn(png_, this, give);
    // Skips text, profiles and other chunks that are not used.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png_, info_);
  }));
  const png_uint_32 width = png_get_image_width(png_, info_);
  const png_uint_32 height = png_get_image_height(png_, info_);
  const ImageSize size{static_cast<int>(width), static_cast<int>(height)};
  TACHO_CHECK(check_size(size));
  const auto stored = static_cast<std::int64_t>(png_get_rowbytes(png_, info_)) * size.height;
  if (stored / kDeflateLimit > static_cast<std::int64_t>(bytes.size())) {
    return damaged("PNG", fmt::format("{} bytes cannot hold the {} x {} pixels its header declares",
                                      bytes.size(), size.width, size.height));
  }
  TACHO_CHECK(guarded([this] {
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_strip_alpha(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }));
  return size;
}

Result<void> PngReader::decode(const Crop& crop, Planes& planes) {
  const int width = static_cast<int>(png_get_image_width(png_, info_));
  const int height = static_cast<int>(png_get_image_height(png_, info_));
  const std::size_t row_bytes = png_get_rowbytes(png_, info_);
  planes.count = png_get_channels(png_, info_);
  planes.model = planes.count == 1 ? ColourModel::grey : ColourModel::rgb;
  SampleRange wanted;
  for (int i = 0; i < planes.count; ++i) {
    Plane& plane = planes.planes[static_cast<std::size_t>(i)];
    plane.width = width;
    plane.height = height;
    plane.samples_across = 1;
    plane.samples_down = 1;
    wanted = plane.rows_of(crop);
    plane.make_room(wanted.first, wanted.last - wanted.first + 1, static_cast<std::size_t>(width));
  }
  const std::size_t held = passes_ == 1 ? 1 : static_cast<std::size_t>(height);
  rows_.resize(held * row_bytes);
  starts_.resize(held);
  for (std::size_t i = 0; i < held; ++i) starts_[i] = rows_.data() + i * row_bytes;
  return guarded([this, wanted, &planes] { read_rows(wanted, planes); });
}

void PngReader::read_rows(SampleRange wanted, Planes& planes) {
  const bool interlaced = passes_ > 1;
  if (interlaced) png_read_image(png_, starts_.data());
  for (int y = 0; y <= wanted.last; ++y) {
    png_bytep row = starts_[interlaced ? static_cast<std::size_t>(y) : 0];
    if (!interlaced) png_read_row(png_, row, nullptr);
    if (y < wanted.first) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(planes.count); ++i) {
      Plane& plane = planes.planes[i];
      std::uint8_t* out =
          plane.samples.data() + static_cast<std::size_t>(y - wanted.first) * plane.pitch;
      part(row, static_cast<std::size_t>(planes.count), i, out, plane.pitch);
    }
  }
}

}  // namespace tacho
