#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "training/image/image_loader.h"
#include "training/image/test_images.h"

namespace tacho {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

class DamagedImage : public testing::Test {
 protected:
  std::string problem(const ByteVector& bytes,
                      const Augmentation& augmentation = Augmentation::evaluation(),
                      std::uint64_t seed = 0) {
    const auto loaded = loader_.load(bytes, augmentation, seed,
                                     {.pixels = pixels_.data(), .height = 32, .width = 32});
    if (loaded.ok()) return "none";
    EXPECT_EQ(loaded.error().code, ErrorCode::invalid);
    EXPECT_FALSE(loaded.error().message.empty());
    return loaded.error().message;
  }

  ImageLoader loader_{kImageNetNormalisation};
  std::vector<float> pixels_ = std::vector<float>(3 * 32 * 32);
};

ByteVector cut(const ByteVector& bytes, std::size_t length) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)};
}

TEST_F(DamagedImage, RefusesOtherFormatsByTheirFirstBytes) {
  EXPECT_EQ(problem({}), "not an image: it is empty");
  EXPECT_EQ(problem({'G', 'I', 'F', '8', '9', 'a'}),
            "not a JPEG or PNG image: it begins with 47494638");
  EXPECT_EQ(problem({0xFF}), "not a JPEG or PNG image: it begins with ff");
}

TEST_F(DamagedImage, RefusesATruncatedFileWhereverTheCropIs) {
  const ByteVector jpeg = jpeg_bytes(sharp_picture(90, 70));
  const ByteVector progressive = jpeg_bytes(sharp_picture(90, 70), {.progressive = true});
  const ByteVector png = png_bytes(sharp_picture(90, 70));
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const ByteVector& bytes : {jpeg, progressive, png}) {
      const std::size_t length = bytes.size() * (seed + 1) / 41;
      EXPECT_THAT(problem(cut(bytes, length), Augmentation::training(), seed),
                  AnyOf(StartsWith("damaged JPEG: "), StartsWith("damaged PNG: ")));
    }
  }
  EXPECT_EQ(problem(cut(jpeg, jpeg.size() - 1)),
            "damaged JPEG: the file is truncated; replace the file or remove it from the dataset");
  EXPECT_EQ(problem(cut(png, png.size() - 1)),
            "damaged PNG: the file is truncated; replace the file or remove it from the dataset");
}

TEST_F(DamagedImage, ReportsCorruptionThatLibjpegFinds) {
  ByteVector bytes = jpeg_bytes(sharp_picture(90, 70));
  std::fill(bytes.begin() + 1000, bytes.begin() + 1200, 0xFF);
  EXPECT_THAT(problem(bytes), StartsWith("damaged JPEG: "));
}

TEST_F(DamagedImage, ReportsAWrongChecksum) {
  ByteVector bytes = png_bytes(sharp_picture(32, 32));  // all of it is decoded
  bytes[bytes.size() / 2] ^= 1U;
  EXPECT_THAT(problem(bytes), StartsWith("damaged PNG: "));
}

// If libjpeg's tables were kept from one image to the next, the second would decode, depending on
// the first.
TEST_F(DamagedImage, RefusesAJpegWithoutTablesWhateverWasReadBefore) {
  const Picture picture = sharp_picture(40, 40);
  EXPECT_EQ(problem(jpeg_bytes(picture)), "none");
  EXPECT_THAT(problem(jpeg_bytes(picture, {.tables = false})),
              HasSubstr("Quantization table 0x00 was not defined"));
}

TEST_F(DamagedImage, RefusesHeadersThatDeclareTooManyPixels) {
  ByteVector jpeg = jpeg_bytes(sharp_picture(16, 16));
  const std::uint8_t frame[] = {0xFF, 0xC0};
  const auto height = std::search(jpeg.begin(), jpeg.end(), frame, frame + 2) + 5;
  const auto promise = [&](int rows, int columns) {
    height[0] = static_cast<std::uint8_t>(rows >> 8);
    height[1] = static_cast<std::uint8_t>(rows);
    height[2] = static_cast<std::uint8_t>(columns >> 8);
    height[3] = static_cast<std::uint8_t>(columns);
    return problem(jpeg);
  };
  EXPECT_EQ(promise(40'000, 50'000),
            "50000 x 40000 pixels are more than the 100,000,000 allowed; make the image smaller");
  EXPECT_THAT(promise(5'000, 5'000), HasSubstr("cannot hold the 5000 x 5000 pixels its header"));
  EXPECT_THAT(promise(0, 16), StartsWith("damaged JPEG: "));
}

TEST_F(DamagedImage, AppliesACustomLimitBeforeDecoding) {
  const ByteVector png = png_bytes(Picture{1'001, 1'000, 1, ByteVector(1'001 * 1'000)});
  EXPECT_EQ(problem(png), "none");
  ImageLoader strict(kLevels, 1'000'000);
  const auto loaded = strict.load(png, Augmentation::evaluation(), 0,
                                  {.pixels = pixels_.data(), .height = 32, .width = 32});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().message,
            "1001 x 1000 pixels are more than the 1,000,000 allowed; make the image smaller");
}

TEST_F(DamagedImage, RefusesAJpegOfVeryManyScans) {
  EXPECT_EQ(problem(jpeg_bytes(soft_picture(40, 40, 1), {.scan_for_each_coefficient = true})),
            "none");  // 64 scans
  EXPECT_EQ(problem(jpeg_bytes(soft_picture(40, 40), {.scan_for_each_coefficient = true})),
            "damaged JPEG: more than 100 scans; replace the file or remove it from the dataset");
}

TEST_F(DamagedImage, RefusesTooLongSides) {
  EXPECT_EQ(problem(png_bytes(soft_picture(70'000, 1, 1))),
            "70000 x 1 pixels: no side may be longer than 65,535");
}

TEST_F(DamagedImage, RefusesUnknownColourModels) {
  EXPECT_EQ(problem(jpeg_bytes(sharp_picture(20, 20, 2))),
            "a JPEG of 2 colour components, which is neither grey nor RGB nor CMYK; convert it to "
            "RGB");
}

// Changed, removed and duplicated bytes give an image or an error, never anything else.
TEST_F(DamagedImage, SurvivesEveryMutation) {
  std::mt19937 random(1);
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  const ByteVector whole[] = {
      jpeg_bytes(sharp_picture(70, 50)),
      jpeg_bytes(sharp_picture(70, 50), {.across = 1, .down = 2, .progressive = true}),
      jpeg_bytes(sharp_picture(30, 50, 4), {.stored = JCS_YCCK}),
      png_bytes(sharp_picture(40, 30)),
      png_bytes(sharp_picture(40, 30), true),
      png_bytes(16, 16, ByteVector(16 * 2, 0b10101010),
                {.colour_type = PNG_COLOR_TYPE_PALETTE, .depth = 1}, {{1, 2, 3}, {4, 5, 6}})};
  int sound = 0;
  for (std::uint64_t i = 0; i < 1200; ++i) {
    ByteVector bytes = whole[i % std::size(whole)];
    // Half of the mutations hit the headers, which are more dangerous.
    const std::size_t reach = i % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 700);
    const std::size_t changes = 1 + below(4);
    for (std::size_t k = 0; k < changes; ++k) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(2 + below(reach - 2));
      if (at >= bytes.end()) continue;
      switch (below(4)) {
        case 0:
          *at = static_cast<std::uint8_t>(random());
          break;
        case 1:
          *at ^= static_cast<std::uint8_t>(1U << below(8));
          break;
        case 2:
          bytes.erase(at, at + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                   1 + below(9), static_cast<std::size_t>(bytes.end() - at))));
          break;
        default:
          bytes.insert(at, *at);
          break;
      }
    }
    sound += problem(bytes, Augmentation::training(), i) == "none" ? 1 : 0;
  }
  // Shows that mutations reach both: pixels may change unnoticed, headers may not.
  EXPECT_GT(sound, 50);
  EXPECT_LT(sound, 1000);
}

}  // namespace
}  // namespace tacho
