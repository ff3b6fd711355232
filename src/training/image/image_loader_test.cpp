#include "training/image/image_loader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <numeric>

#include "base/scratch_folder.h"
#include "training/image/test_images.h"

namespace tacho {
namespace {

std::vector<float> loaded(ImageLoader& loader, const ByteVector& bytes,
                          const Augmentation& augmentation, ImageSize size, std::uint64_t seed = 1,
                          int channels = 3) {
  std::vector<float> pixels(static_cast<std::size_t>(channels * size.width * size.height), -1);
  const auto done = loader.load(
      bytes, augmentation, seed,
      {.pixels = pixels.data(), .channels = channels, .height = size.height, .width = size.width});
  EXPECT_TRUE(done.ok()) << done.error().message;
  return pixels;
}

std::vector<float> loaded(const ByteVector& bytes, const Augmentation& augmentation, ImageSize size,
                          std::uint64_t seed = 1, int channels = 3) {
  ImageLoader loader(kLevels);
  return loaded(loader, bytes, augmentation, size, seed, channels);
}

struct Difference {
  double mean = 0;
  double most = 0;
};

Difference difference(const std::vector<float>& ours, const std::vector<double>& plain) {
  Difference found;
  EXPECT_EQ(ours.size(), plain.size());
  for (std::size_t i = 0; i < std::min(ours.size(), plain.size()); ++i) {
    const double error = std::abs(static_cast<double>(ours[i]) - plain[i]);
    found.mean += error / static_cast<double>(ours.size());
    found.most = std::max(found.most, error);
  }
  return found;
}

// Compares a sample with the exact resize of a picture.
Difference from_exact(const ByteVector& bytes, const Picture& picture,
                      const Augmentation& augmentation, ImageSize size, std::uint64_t seed) {
  const Crop crop = choose_crop(augmentation, {picture.width, picture.height}, size, seed);
  return difference(loaded(bytes, augmentation, size, seed), resized_plainly(picture, crop, size));
}

// A whole image at its own size: every pixel is unchanged.
TEST(ImageLoader, LeavesAnImageOfTheTargetsSizeUnchanged) {
  const Picture picture = sharp_picture(37, 23);
  const auto pixels = loaded(png_bytes(picture), Augmentation::evaluation(), {37, 23});
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < 23; ++y) {
      for (int x = 0; x < 37; ++x) {
        EXPECT_EQ(std::lround(pixels[static_cast<std::size_t>((c * 23 + y) * 37 + x)] * 1000),
                  picture.at(x, y, c) * 1000);
      }
    }
  }
}

TEST(ImageLoader, FlipsHalfTheTimeAndThenExactly) {
  const Picture picture = sharp_picture(24, 24);
  const ByteVector bytes = png_bytes(picture);
  const Augmentation flip_alone{.kind = Augmentation::Kind::random_resized_crop,
                                .least_area = 1,
                                .least_ratio = 1,
                                .most_ratio = 1};
  int flips = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const bool flipped = choose_crop(flip_alone, {24, 24}, {24, 24}, seed).flipped;
    flips += flipped ? 1 : 0;
    const auto pixels = loaded(bytes, flip_alone, {24, 24}, seed);
    for (int y = 0; y < 24; ++y) {
      for (int x = 0; x < 24; ++x) {
        const auto level = std::lround(pixels[static_cast<std::size_t>(y * 24 + x)]);
        ASSERT_EQ(level, picture.at(flipped ? 23 - x : x, y, 0));
      }
    }
  }
  EXPECT_GT(flips, 10);
  EXPECT_LT(flips, 30);
}

// PNG is lossless, so the sample equals the exact resize up to single precision.
TEST(ImageLoader, ResizesExactlyUpAndDown) {
  const Picture picture = sharp_picture(301, 203);
  const ByteVector bytes = png_bytes(picture);
  for (const ImageSize size : {ImageSize{64, 48}, {224, 224}, {1, 1}, {7, 300}, {301, 203}}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      EXPECT_LT(from_exact(bytes, picture, Augmentation::training(), size, seed).most, 0.001);
    }
    EXPECT_LT(from_exact(bytes, picture, Augmentation::evaluation(), size, 0).most, 0.001);
  }
}

struct Sampling {
  int across;  // luma samples
  int down;
  int colour_across;
  int colour_down;
  double mean;  // mean difference between loader and libjpeg, in levels …
  double most;  // … and the largest one
};

// Compares with libjpeg's full image. They differ where libjpeg rounds intermediate values and in
// how subsampled colours are interpolated: libjpeg repeats those of 4:1:1 four times.
TEST(ImageLoader, AgreesWithTheFullJpegResizedAfterwards) {
  const Picture picture = soft_picture(333, 251);
  for (const Sampling& sampling : {Sampling{1, 1, 1, 1, 0.3, 1.5},
                                   {2, 1, 1, 1, 0.5, 6},
                                   {1, 2, 1, 1, 0.5, 6},
                                   {2, 2, 1, 1, 0.5, 6},
                                   {4, 1, 1, 1, 2.5, 20},
                                   {1, 2, 2, 1, 1.0, 10},
                                   {1, 1, 2, 2, 1.0, 10}}) {
    for (const bool progressive : {false, true}) {
      const ByteVector bytes = jpeg_bytes(
          picture, {.across = sampling.across, .down = sampling.down, .progressive = progressive});
      const Picture decoded = decoded_jpeg(bytes);
      const auto place = fmt::format("{}x{} and {}x{}", sampling.across, sampling.down,
                                     sampling.colour_across, sampling.colour_down);
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto found = from_exact(bytes, decoded, Augmentation::training(), {128, 128}, seed);
        EXPECT_LT(found.mean, sampling.mean) << place << " seed " << seed;
        EXPECT_LT(found.most, sampling.most) << place << " seed " << seed;
      }
      const auto found = from_exact(bytes, decoded, Augmentation::evaluation(), {128, 128}, 0);
      EXPECT_LT(found.mean, sampling.mean) << place;
      EXPECT_LT(found.most, sampling.most) << place;
    }
  }
}

// The error relative to the original picture is the same, within a tenth of a level.
TEST(ImageLoader, LosesNoMoreThanTheFullJpeg) {
  const Picture picture = soft_picture(333, 251);
  const ImageSize size{128, 128};
  for (const auto& [across, down] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}}) {
    const ByteVector bytes = jpeg_bytes(picture, {.across = across, .down = down});
    const Picture decoded = decoded_jpeg(bytes);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Crop crop = choose_crop(Augmentation::training(), {333, 251}, size, seed);
      const auto whole = resized_plainly(decoded, crop, size);
      const auto libjpegs =
          difference({whole.begin(), whole.end()}, resized_plainly(picture, crop, size));
      const auto ours = from_exact(bytes, picture, Augmentation::training(), size, seed);
      EXPECT_LT(ours.mean, libjpegs.mean + 0.1) << across << "x" << down;
    }
  }
}

// Decoded at 1/2, 1/4 and 1/8: libjpeg averages pixels instead of a part of the triangle filter.
TEST(ImageLoader, AgreesWithTheFullJpegWhenDecodedAtLowerResolution) {
  const ByteVector bytes = jpeg_bytes(soft_picture(803, 601));
  const Picture decoded = decoded_jpeg(bytes);
  for (const int side : {200, 130, 96, 64, 50}) {
    const auto found = from_exact(bytes, decoded, Augmentation::evaluation(), {side, side}, 0);
    EXPECT_LT(found.mean, 1.0) << side;
    EXPECT_LT(found.most, 8.0) << side;
  }
}

TEST(ImageLoader, GivesTheSameBytesForTheSameSeedWhateverItLoadedBefore) {
  const ByteVector bytes = jpeg_bytes(sharp_picture(200, 150));
  const ByteVector others[] = {jpeg_bytes(sharp_picture(640, 480), {.across = 1, .down = 1}),
                               png_bytes(sharp_picture(50, 60, 1)),
                               {0xFF, 0xD8, 0xFF, 0x00}};
  ImageLoader used(kLevels);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<float> ignored(3 * 96 * 96);
    (void)used.load(others[seed % 3], Augmentation::training(), seed,
                    {.pixels = ignored.data(), .height = 96, .width = 96});
    EXPECT_EQ(loaded(used, bytes, Augmentation::training(), {96, 96}, seed),
              loaded(bytes, Augmentation::training(), {96, 96}, seed));
  }
  EXPECT_NE(loaded(bytes, Augmentation::training(), {96, 96}, 1),
            loaded(bytes, Augmentation::training(), {96, 96}, 2));
}

TEST(ImageLoader, WritesTheSameInEveryLayoutAndType) {
  const ByteVector bytes = jpeg_bytes(sharp_picture(120, 90));
  constexpr int kHeight = 19;
  constexpr int kWidth = 33;
  constexpr std::size_t kPixels = kHeight * kWidth;
  ImageLoader loader(kImageNetNormalisation);
  std::vector<float> planar(3 * kPixels);
  std::vector<float> interleaved(3 * kPixels);
  std::vector<std::uint16_t> planar_bf16(3 * kPixels);
  std::vector<std::uint16_t> interleaved_bf16(3 * kPixels);
  const auto load = [&](void* pixels, PixelType type, PixelLayout layout) {
    ASSERT_TRUE(
        loader.load(bytes, Augmentation::training(), 5, {pixels, type, layout, 3, kHeight, kWidth})
            .ok());
  };
  load(planar.data(), PixelType::f32, PixelLayout::planar);
  load(interleaved.data(), PixelType::f32, PixelLayout::interleaved);
  load(planar_bf16.data(), PixelType::bf16, PixelLayout::planar);
  load(interleaved_bf16.data(), PixelType::bf16, PixelLayout::interleaved);
  for (std::size_t i = 0; i < kPixels; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const float value = planar[c * kPixels + i];
      ASSERT_FLOAT_EQ(interleaved[3 * i + c], value);
      const auto bits = planar_bf16[c * kPixels + i];
      ASSERT_EQ(interleaved_bf16[3 * i + c], bits);
      const auto rounded = std::bit_cast<float>(std::uint32_t{bits} << 16U);
      ASSERT_NEAR(rounded, value, std::abs(value) / 256 + 1e-6);
    }
  }
}

TEST(ImageLoader, NormalisesChannelByChannel) {
  const Picture white{8, 8, 3, ByteVector(8 * 8 * 3, 255)};
  ImageLoader loader(kImageNetNormalisation);
  const auto pixels = loaded(loader, png_bytes(white), Augmentation::evaluation(), {8, 8});
  EXPECT_NEAR(pixels[0], (1 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(pixels[64], (1 - 0.456) / 0.224, 1e-5);
  EXPECT_NEAR(pixels[128], (1 - 0.406) / 0.225, 1e-5);
}

TEST(ImageLoader, ConvertsBetweenGreyAndColour) {
  const Picture colour = soft_picture(64, 64);
  const auto evaluation = Augmentation::evaluation();
  const auto from_png = loaded(png_bytes(colour), evaluation, {64, 64}, 1, 1);
  const auto from_jpeg = loaded(jpeg_bytes(colour), evaluation, {64, 64}, 1, 1);
  for (int i = 0; i < 64 * 64; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double luma = 0.299 * colour.pixels[3 * at] + 0.587 * colour.pixels[3 * at + 1] +
                        0.114 * colour.pixels[3 * at + 2];
    ASSERT_NEAR(from_png[at], luma, 0.01);
    ASSERT_NEAR(from_jpeg[at], luma, 4);
  }
  const Picture grey = soft_picture(40, 40, 1);
  for (const ByteVector& bytes : {png_bytes(grey), jpeg_bytes(grey)}) {
    const auto pixels = loaded(bytes, evaluation, {40, 40});
    for (std::size_t i = 0; i < 40 * 40; ++i) {
      ASSERT_NEAR(pixels[i], grey.pixels[i], 4);
      ASSERT_EQ(pixels[i + 1600], pixels[i]);
      ASSERT_EQ(pixels[i + 3200], pixels[i]);
    }
  }
}

TEST(ImageLoader, ReadsRgbAndCmykJpegs) {
  const Picture rgb = soft_picture(48, 48);
  const auto evaluation = Augmentation::evaluation();
  const auto stored_rgb =
      loaded(jpeg_bytes(rgb, {.quality = 100, .stored = JCS_RGB}), evaluation, {48, 48});
  const Picture inks = soft_picture(48, 48, 4);
  for (std::size_t i = 0; i < 48 * 48; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_NEAR(stored_rgb[c * 48 * 48 + i], rgb.pixels[3 * i + c], 2.5);
    }
  }
  for (const J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK}) {
    const ByteVector bytes =
        jpeg_bytes(inks, {.quality = 100, .across = 1, .down = 1, .stored = stored});
    const auto pixels = loaded(bytes, evaluation, {48, 48});
    for (std::size_t i = 0; i < 48 * 48; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        const double level = inks.pixels[4 * i + c] * inks.pixels[4 * i + 3] / 255.0;
        ASSERT_NEAR(pixels[c * 48 * 48 + i], level, 3.5) << stored;
      }
    }
  }
}

TEST(ImageLoader, ReadsEveryKindOfPng) {
  const auto evaluation = Augmentation::evaluation();
  const Picture rgb = sharp_picture(16, 16);
  const auto expected = loaded(png_bytes(rgb), evaluation, {16, 16});
  EXPECT_EQ(loaded(png_bytes(rgb, true), evaluation, {16, 16}), expected);

  ByteVector with_alpha;
  ByteVector deep;
  for (std::size_t i = 0; i < rgb.pixels.size(); ++i) {
    with_alpha.push_back(rgb.pixels[i]);
    if (i % 3 == 2) with_alpha.push_back(static_cast<std::uint8_t>(i));
    deep.insert(deep.end(), {rgb.pixels[i], rgb.pixels[i]});  // v * 257 in 16 bits is v in 8
  }
  EXPECT_EQ(loaded(png_bytes(16, 16, with_alpha, {.colour_type = PNG_COLOR_TYPE_RGB_ALPHA}),
                   evaluation, {16, 16}),
            expected);
  EXPECT_EQ(loaded(png_bytes(16, 16, deep, {.depth = 16}), evaluation, {16, 16}), expected);

  // Two colours, one bit each, eight pixels per byte.
  const ByteVector stripes(16 * 2, 0b10101010);
  const auto striped =
      loaded(png_bytes(16, 16, stripes, {.colour_type = PNG_COLOR_TYPE_PALETTE, .depth = 1},
                       {{10, 20, 30}, {40, 50, 60}}),
             evaluation, {16, 16});
  const auto black_and_white =
      loaded(png_bytes(16, 16, stripes, {.colour_type = PNG_COLOR_TYPE_GRAY, .depth = 1}),
             evaluation, {16, 16});
  for (std::size_t i = 0; i < 256; ++i) {
    ASSERT_NEAR(striped[i], i % 2 == 0 ? 40 : 10, 0.001);
    ASSERT_NEAR(striped[512 + i], i % 2 == 0 ? 60 : 30, 0.001);
    ASSERT_NEAR(black_and_white[i], i % 2 == 0 ? 255 : 0, 0.001);
  }
}

TEST(ImageLoader, ReadsTheSmallestImages) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 3}, {2, 1}, {17, 1}, {1, 40}}) {
    const Picture one_level{width, height, 3,
                            ByteVector(static_cast<std::size_t>(3 * width * height), 77)};
    for (const ByteVector& bytes : {png_bytes(one_level), jpeg_bytes(one_level)}) {
      for (const auto& augmentation : {Augmentation::training(), Augmentation::evaluation()}) {
        EXPECT_THAT(loaded(bytes, augmentation, {9, 5}),
                    testing::Each(testing::FloatNear(77, 0.01)));
      }
    }
  }
}

TEST(ImageLoader, ReadsFilesLikeBytes) {
  const ScratchFolder folder;
  const auto file = folder.path() / "image.jpg";
  const ByteVector bytes = jpeg_bytes(soft_picture(60, 40));
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  ImageLoader loader(kLevels);
  std::vector<float> pixels(3 * 32 * 32);
  const PixelTarget target{.pixels = pixels.data(), .height = 32, .width = 32};
  ASSERT_TRUE(loader.load(file, Augmentation::training(), 9, target).ok());
  EXPECT_EQ(pixels, loaded(bytes, Augmentation::training(), {32, 32}, 9));

  const auto missing = loader.load(folder.path() / "none", Augmentation::training(), 9, target);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().message, "cannot be read: No such file or directory");
  EXPECT_EQ(loader.load(folder.path(), Augmentation::training(), 9, target).error().message,
            "cannot be read: Is a directory");
}

TEST(ImageLoader, RefusesInvalidTargets) {
  ImageLoader loader(kLevels);
  const ByteVector bytes = png_bytes(sharp_picture(4, 4));
  float pixel = 0;
  const auto problem = [&](const PixelTarget& target) {
    return loader.load(bytes, Augmentation::evaluation(), 0, target).error().message;
  };
  EXPECT_EQ(problem({.pixels = &pixel, .channels = 2, .height = 1, .width = 1}),
            "images of 2 channels are not supported: use 1 (grey) or 3 (red, green, blue)");
  EXPECT_EQ(problem({.pixels = &pixel, .channels = 1, .height = 0, .width = 1}),
            "images of 1 x 0 pixels are not supported: each side must be 1 to 16384");
  EXPECT_EQ(problem({.channels = 1, .height = 1, .width = 1}), "the image target has no memory");
}

}  // namespace
}  // namespace tacho
