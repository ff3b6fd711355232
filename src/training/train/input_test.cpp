#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"
#include "base/scratch_folder.h"
#include "training/image/random_erasing.h"
#include "training/image/trivial_augment.h"
#include "training/train/blas.h"
#include "training/train/hits.h"
#include "training/train/input/memory_images.h"
#include "training/train/input/packed_tokens.h"
#include "training/train/input/padded_sentences.h"
#include "training/train/input/pipeline.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ImageSet images(std::int64_t count) {
  ImageSet set{.count = count, .channels = 1, .height = 2, .width = 2};
  for (std::int64_t i = 0; i < count; ++i) {
    for (int pixel = 0; pixel < 4; ++pixel) set.pixels.push_back(static_cast<std::uint8_t>(i));
    set.labels.push_back(i);
  }
  return set;
}

Pipeline shuffled_images(std::int64_t count, std::int64_t batch, std::int64_t workers = 1) {
  return {std::make_unique<MemoryImages>(
              images(count),
              MemoryImages::Options{.batch = batch, .order = SampleOrder::shuffled, .seed = 3}),
          batch, workers};
}

std::vector<std::int64_t> labels_of(BatchSource& source, std::int64_t epoch) {
  std::vector<std::int64_t> seen;
  Batch batch;
  source.begin_epoch(epoch);
  while (*source.next(batch)) {
    const auto* labels = batch.labels.data_ptr<std::int64_t>();
    seen.insert(seen.end(), labels, labels + batch.size());
  }
  return seen;
}

// Known values: the published first outputs of SplitMix64 from state 0.
TEST(Random, IsSplitMix64) {
  Random random(0, 0);
  EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4U);
}

TEST(Pipeline, ShowsEveryImageOncePerEpochShuffled) {
  Pipeline source = shuffled_images(10, 4);
  const auto first = labels_of(source, 1);
  const auto second = labels_of(source, 2);
  EXPECT_NE(first, second);
  EXPECT_EQ(labels_of(source, 1), first);
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> all(10);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

TEST(MemoryImages, AreNormalisedAndTheLastBatchIsSmaller) {
  Pipeline source(
      std::make_unique<MemoryImages>(
          images(3),
          MemoryImages::Options{.batch = 2, .normalisation = {{0.5F, 0, 0}, {0.25F, 1, 1}}}),
      2, 0);
  EXPECT_EQ(source.batches(), 2);
  source.begin_epoch(1);
  Batch batch;
  ASSERT_TRUE(*source.next(batch));
  EXPECT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{2, 1, 2, 2}));
  EXPECT_FLOAT_EQ(batch.inputs[0][0][0][0].item<float>(), -2.0F);
  EXPECT_FLOAT_EQ(batch.inputs[1][0][1][1].item<float>(), (1.0F / 255 - 0.5F) / 0.25F);
  ASSERT_TRUE(*source.next(batch));
  EXPECT_EQ(batch.size(), 1);
  EXPECT_FALSE(*source.next(batch));
}

// Images of three channels in which neighbouring pixels differ and none is 0.
constexpr std::int64_t kColourSide = 8;
constexpr std::size_t kColourSize = 3 * kColourSide * kColourSide;
ImageSet colour_images(std::int64_t count) {
  ImageSet set{.count = count, .channels = 3, .height = kColourSide, .width = kColourSide};
  for (std::int64_t i = 0; i < count * static_cast<std::int64_t>(kColourSize); ++i) {
    set.pixels.push_back(static_cast<std::uint8_t>(1 + i * 37 % 251));
  }
  set.labels.resize(static_cast<std::size_t>(count));
  return set;
}

// The pixels of one batch of all images in their order, from 0 to 255.
std::vector<float> levels_of(const ImageSet& set, MemoryImages::Options options) {
  options.batch = set.count;
  options.seed = 3;
  Pipeline source(std::make_unique<MemoryImages>(set, options), set.count, 0);
  source.begin_epoch(5);
  Batch batch;
  EXPECT_TRUE(*source.next(batch));
  const at::Tensor levels = (batch.inputs * 255).round().contiguous();
  return {levels.data_ptr<float>(), levels.data_ptr<float>() + levels.numel()};
}

TEST(MemoryImages, AreChangedByTheOperationOfTheirSeed) {
  const ImageSet set = colour_images(100);
  std::vector<float> expected;
  std::vector<std::uint8_t> changed(kColourSize);
  for (std::size_t i = 0; i < 100; ++i) {
    apply(choose_operation(sample_seed(3, 5, i)),
          {set.pixels.data() + i * kColourSize, 3, kColourSide, kColourSide}, changed.data());
    expected.insert(expected.end(), changed.begin(), changed.end());
  }
  EXPECT_EQ(levels_of(set, {.trivial_augment = true}), expected);
  EXPECT_NE(levels_of(set, {}), expected);
}

TEST(MemoryImages, LoseThePartOfTheirSeed) {
  const ImageSet set = colour_images(100);
  std::vector<float> expected = levels_of(set, {});
  for (std::size_t i = 0; i < 100; ++i) {
    const ErasedPart part = choose_erased_part(0.5, kColourSide, kColourSide, sample_seed(3, 5, i));
    for (std::size_t at = 0; at < kColourSize; ++at) {
      const auto pixel = static_cast<int>(at % (kColourSide * kColourSide));
      const int x = pixel % kColourSide - part.x;
      const int y = pixel / kColourSide - part.y;
      const bool inside = x >= 0 && x < part.width && y >= 0 && y < part.height;
      if (inside) expected[i * kColourSize + at] = 0;
    }
  }
  EXPECT_GT(std::count(expected.begin(), expected.end(), 0), 1000);
  EXPECT_EQ(levels_of(set, {.erase = 0.5}), expected);
}

TEST(Measure, FindsMeanAndDeviation) {
  ImageSet set{
      .count = 1, .channels = 1, .height = 1, .width = 2, .pixels = {0, 255}, .labels = {0}};
  EXPECT_FLOAT_EQ(measure(set).mean[0], 0.5);
  EXPECT_FLOAT_EQ(measure(set).deviation[0], 0.5);
  set.pixels = {7, 7};
  EXPECT_FLOAT_EQ(measure(set).deviation[0], 1);  // a uniform image must not divide by zero
}

TextSet sentences() {
  TextSet set;
  for (std::int32_t length = 1; length <= 9; ++length) {
    set.tokens.emplace_back(static_cast<std::size_t>(length), length);
    set.labels.push_back(length);
  }
  return set;
}

TEST(PaddedSentences, ArePaddedAtTheEnd) {
  Pipeline source(std::make_unique<PaddedSentences>(sentences(), 2, SampleOrder::given, 0), 2, 1);
  source.begin_epoch(1);
  Batch batch;
  ASSERT_TRUE(*source.next(batch));
  const at::Tensor flat = batch.inputs.flatten();
  EXPECT_THAT(std::vector<std::int64_t>(flat.data_ptr<std::int64_t>(),
                                        flat.data_ptr<std::int64_t>() + flat.numel()),
              ElementsAre(1, 0, 2, 2));
  EXPECT_EQ(batch.lengths[1].item<std::int64_t>(), 2);
}

TEST(PaddedSentences, AreShownOncePerEpoch) {
  Pipeline source(std::make_unique<PaddedSentences>(sentences(), 4, SampleOrder::shuffled, 5), 4,
                  1);
  auto first = labels_of(source, 1);
  EXPECT_EQ(labels_of(source, 1), first);
  std::sort(first.begin(), first.end());
  EXPECT_THAT(first, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

struct NumberedTokens {
  explicit NumberedTokens(std::int32_t count) {
    auto writer = TokenFileWriter::create(folder.path() / "tokens", 1000);
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
    std::iota(tokens.begin(), tokens.end(), 0);
    EXPECT_TRUE(writer->add(tokens).ok());
    EXPECT_TRUE(writer->finish(0).ok());
    file = std::make_shared<const TokenFile>(std::move(*TokenFile::open(folder.path() / "tokens")));
  }
  [[nodiscard]] Pipeline source(PackedTokens::Options options) const {
    return {std::make_unique<PackedTokens>(file, options), options.batch, 1};
  }
  ScratchFolder folder;
  std::shared_ptr<const TokenFile> file;
};

// Returns the first token of each sample, and checks that the others and the labels follow it.
std::vector<std::int64_t> begins_of(BatchSource& source, std::int64_t epoch) {
  std::vector<std::int64_t> begins;
  Batch batch;
  source.begin_epoch(epoch);
  while (*source.next(batch)) {
    const at::Tensor first = batch.inputs.select(1, 0).unsqueeze(1);
    const at::Tensor offsets = at::arange(batch.inputs.size(1));
    EXPECT_TRUE(batch.inputs.equal(first + offsets));
    EXPECT_TRUE(batch.labels.view(batch.inputs.sizes()).equal(batch.inputs + 1));
    for (std::int64_t row = 0; row < batch.size(); ++row) {
      begins.push_back(batch.inputs[row][0].item<std::int64_t>());
    }
  }
  return begins;
}

TEST(PackedTokens, CoverTheirPartInOrder) {
  const NumberedTokens tokens(30);
  Pipeline source = tokens.source({.begin = 10, .tokens = 14, .length = 4, .batch = 2});
  EXPECT_EQ(source.samples(), 3);
  EXPECT_THAT(begins_of(source, 1), ElementsAre(10, 14, 18));
  EXPECT_THAT(begins_of(source, 2), ElementsAre(10, 14, 18));
}

TEST(PackedTokens, BeginElsewhereInEachEpoch) {
  const NumberedTokens tokens(100);
  Pipeline source = tokens.source(
      {.tokens = 100, .length = 8, .batch = 5, .order = SampleOrder::shuffled, .seed = 3});
  std::set<std::int64_t> offsets;
  for (std::int64_t epoch = 1; epoch <= 40; ++epoch) {
    auto begins = begins_of(source, epoch);
    ASSERT_EQ(begins.size(), 11U);
    EXPECT_FALSE(std::ranges::is_sorted(begins));
    EXPECT_EQ(begins, begins_of(source, epoch));
    std::ranges::sort(begins);
    for (std::size_t i = 1; i < begins.size(); ++i) EXPECT_EQ(begins[i], begins[i - 1] + 8);
    offsets.insert(begins[0]);
  }
  EXPECT_EQ(offsets, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(PackedTokens, OneSampleMayTakeAllTokens) {
  const NumberedTokens tokens(5);
  for (const SampleOrder order : {SampleOrder::given, SampleOrder::shuffled}) {
    Pipeline source = tokens.source({.tokens = 5, .length = 4, .order = order});
    EXPECT_THAT(begins_of(source, 1), ElementsAre(0));
  }
}

TEST(PackedTokens, OfPromptsAreNoLabels) {
  const ScratchFolder folder;
  auto writer = TokenFileWriter::create(folder.path() / "tokens", 1000);
  EXPECT_TRUE(writer->add_prompt(std::vector<std::int32_t>{1, 2, 3}).ok());
  EXPECT_TRUE(writer->add(std::vector<std::int32_t>{4, 5}).ok());
  EXPECT_TRUE(writer->add_prompt(std::vector<std::int32_t>{6, 7}).ok());
  EXPECT_TRUE(writer->add(std::vector<std::int32_t>{8, 9}).ok());
  EXPECT_TRUE(writer->finish(0).ok());
  const auto file =
      std::make_shared<const TokenFile>(std::move(*TokenFile::open(folder.path() / "tokens")));
  Pipeline source(std::make_unique<PackedTokens>(
                      file, PackedTokens::Options{.tokens = 9, .length = 4, .batch = 2}),
                  2, 1);
  Batch batch;
  source.begin_epoch(0);
  ASSERT_TRUE(*source.next(batch));
  EXPECT_TRUE(batch.inputs.flatten().equal(at::arange(1, 9)));
  constexpr std::int64_t kNone = kIgnoredLabel;
  EXPECT_TRUE(
      batch.labels.equal(at::tensor({kNone, kNone, 4L, 5L, kNone, kNone, 8L, 9L}, at::kLong)));
}

TEST(CountHits, LeavesOutIgnoredLabels) {
  const at::Tensor logits = at::arange(14, at::kFloat).view({2, 7});
  const Hits hits = count_hits(logits, at::tensor({kIgnoredLabel, std::int64_t{6}}, at::kLong));
  EXPECT_EQ(hits.top1, 1);
  EXPECT_EQ(hits.samples, 1);
  EXPECT_EQ(hits.ignored, 1);
}

TEST(CountHits, CountsTopOneAndTopFive) {
  const at::Tensor logits = at::arange(14, at::kFloat).view({2, 7});
  const at::Tensor labels = at::tensor({6, 2}, at::kLong);  // best, and fifth best
  const Hits hits = count_hits(logits, labels);
  EXPECT_EQ(hits.top1, 1);
  EXPECT_EQ(hits.top5, 2);
  EXPECT_EQ(hits.samples, 2);
}

TEST(CountHits, EqualScoresCountAsGuessing) {
  const at::Tensor labels = at::arange(10, at::kLong);
  const Hits hits = count_hits(at::zeros({10, 10}), labels);
  EXPECT_EQ(hits.top1, 1);
  EXPECT_EQ(hits.top5, 5);
}

TEST(CountHits, NaNIsNeverAHit) {
  const at::Tensor logits = at::full({1, 3}, std::nan(""));
  EXPECT_EQ(count_hits(logits, at::zeros({1}, at::kLong)).top1, 0);
}

TEST(Blas, TheLoadedOneIsFast) {
  const Blas blas = loaded_blas();
  EXPECT_TRUE(refuse_slow(blas).ok()) << blas.name;
}

TEST(Blas, ASlowOneIsRefusedWithTheFix) {
  EXPECT_THAT(refuse_slow({BlasKind::reference, "reference BLAS"}).error().message,
              HasSubstr("apt-get install libopenblas0-openmp"));
}

}  // namespace
}  // namespace tacho
