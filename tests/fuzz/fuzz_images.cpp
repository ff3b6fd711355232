// JPEG and PNG images, as read by training and `tacho infer`.
#include <zlib.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fuzz_loop.h"
#include "training/image/image_loader.h"
#include "training/image/test_images.h"

namespace tacho {
namespace {

std::string text_of(const ByteVector& bytes) { return {bytes.begin(), bytes.end()}; }

constexpr std::size_t kPngMagic = 8;

std::uint32_t word_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

void put_word(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[at + i] = static_cast<char>(value >> (24 - 8 * i) & 0xFFU);
  }
}

// Corrects the checksums of all PNG chunks, so that libpng reads their content.
void mend_png(std::string& bytes) {
  if (bytes.size() < kPngMagic || bytes.substr(1, 3) != "PNG") return;
  std::size_t at = kPngMagic;
  while (at + 12 <= bytes.size()) {
    const std::size_t length = word_at(bytes, at);
    if (length > bytes.size() - at - 12) return;
    const auto* chunk = reinterpret_cast<const Bytef*>(bytes.data() + at + 4);
    put_word(bytes, at + 8 + length,
             static_cast<std::uint32_t>(crc32(0, chunk, static_cast<uInt>(length + 4))));
    at += 12 + length;
  }
}

// Large images of one colour, headers with wrong sizes, and many chunks, segments and scans.
std::string made_image(Random& random) {
  const auto width = static_cast<int>(fuzz_size(random, 3000));
  const auto height = static_cast<int>(fuzz_size(random, 3000));
  const int channels = random.below(2) == 0 ? 1 : 3;
  Picture picture{width, height, channels};
  picture.pixels.assign(static_cast<std::size_t>(width) * height * channels, 77);
  std::string bytes;
  switch (random.below(5)) {
    case 0:
      return text_of(png_bytes(picture, random.below(2) == 0));
    case 1:
      bytes = text_of(png_bytes(picture));
      put_word(bytes, kPngMagic + 8, static_cast<std::uint32_t>(random.next() >> random.below(64)));
      mend_png(bytes);
      return bytes;
    case 2: {  // many empty text chunks after the header
      bytes = text_of(png_bytes(soft_picture(8, 8)));
      bytes.insert(kPngMagic + 25, repeated(std::string("\0\0\0\2tEXtk\0\0\0\0\0", 14),
                                            fuzz_size(random, 100'000)));
      mend_png(bytes);
      return bytes;
    }
    case 3:
      return text_of(jpeg_bytes(picture, {.progressive = random.below(2) == 0,
                                          .scan_for_each_coefficient = random.below(8) == 0}));
    default:
      bytes = text_of(jpeg_bytes(soft_picture(16, 16)));
      bytes.insert(2, repeated(std::string("\xFF\xFE\0\2", 4), fuzz_size(random, 200'000)));
      return bytes;
  }
}

bool loads(const std::string& bytes) {
  static ImageLoader loader(kImageNetNormalisation);
  static std::vector<float> pixels(3 * 32 * 32);
  const std::span<const std::uint8_t> span(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                           bytes.size());
  const PixelTarget target{.pixels = pixels.data(), .height = 32, .width = 32};
  const bool whole = loader.load(span, Augmentation::evaluation(), 0, target).ok();
  return loader.load(span, Augmentation::training(), bytes.size(), target).ok() || whole;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  using namespace tacho;
  const Picture picture = soft_picture(40, 30);
  const Picture grey = soft_picture(20, 20, 1);
  return fuzz(argc, argv,
              {.samples = {text_of(jpeg_bytes(picture)),
                           text_of(jpeg_bytes(picture, {.progressive = true})),
                           text_of(jpeg_bytes(soft_picture(20, 20, 4))), text_of(jpeg_bytes(grey)),
                           text_of(png_bytes(picture)), text_of(png_bytes(picture, true)),
                           text_of(png_bytes(grey))},
               .prepare = mend_png,
               .generate = made_image},
              loads);
}
