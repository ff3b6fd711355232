#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/image_file_writer.h"
#include "training/train/input/batch_source.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Learned word pieces must outlive the sentences they were learned from.
class LearnedVocabulary : public testing::Test {
 protected:
  LearnedVocabulary() {
    std::filesystem::create_directories(data_);
    put("train.tsv", "a good film\t1\na bad film\t0\n");
    put("dev.tsv", "a good film\t1\n");
    spec_.model = "distilbert";
    spec_.data = "sst2";
    spec_.data_folder = data_.string();
    spec_.batch = 2;
  }

  void put(const char* name, std::string_view content) const {
    ASSERT_TRUE(write_file_atomically(data_ / name, content).ok());
  }
  Result<InputParts> open() const { return open_input(spec_, scratch_.path(), run_); }
  // Returns the evaluation sentence as the model sees it.
  std::vector<std::int64_t> tokens() const {
    const auto input = open();
    if (!input.ok()) return {};
    Batch batch;
    input->eval->begin_epoch(0);
    if (!*input->eval->next(batch)) return {};
    const auto* first = batch.inputs.data_ptr<std::int64_t>();
    return {first, first + batch.inputs.numel()};
  }

  ScratchFolder scratch_;
  std::filesystem::path data_ = scratch_.path() / "data";
  RunFolder run_{scratch_.path() / "run"};
  RunSpec spec_;
};

TEST_F(LearnedVocabulary, IsKeptWithTheRun) {
  const auto input = open();
  ASSERT_TRUE(input.ok()) << input.error().message;
  const auto kept = read_file(run_.vocabulary());
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_THAT(*kept, StartsWith("[PAD]\n"));
  EXPECT_THAT(*kept, HasSubstr("\nfilm\n"));
  EXPECT_EQ(std::count(kept->begin(), kept->end(), '\n'), input->shape.vocabulary);
}

TEST_F(LearnedVocabulary, IsNotLearnedAgainByAResumedRun) {
  const auto before = tokens();
  ASSERT_FALSE(before.empty());
  put("train.tsv", "zebras zigzag zestfully\t1\nquite another quiet quarrel\t0\n");
  EXPECT_EQ(tokens(), before);
  std::filesystem::remove(run_.vocabulary());
  EXPECT_NE(tokens(), before);
}

TEST_F(LearnedVocabulary, IsNamedIfDamaged) {
  ASSERT_TRUE(open().ok());
  ASSERT_TRUE(write_file_atomically(run_.vocabulary(), "film\n").ok());
  const auto again = open();
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().message, HasSubstr(run_.vocabulary().string()));
}

TEST_F(LearnedVocabulary, IsKeptEvenIfAFileWasGiven) {
  spec_.vocabulary = (scratch_.path() / "named.txt").string();
  ASSERT_TRUE(
      write_file_atomically(spec_.vocabulary, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\ngood\nfilm\n")
          .ok());
  EXPECT_EQ(tokens(), (std::vector<std::int64_t>{2, 5, 6, 7, 3}));
  EXPECT_EQ(*read_file(run_.vocabulary()), *read_file(spec_.vocabulary));
}

// A prepared dataset of grey ramps: 6 images of 3 x 64 x 64 pixels for training, 2 for evaluation.
class PreparedImageFiles : public testing::Test {
 protected:
  PreparedImageFiles() {
    std::filesystem::create_directories(data_);
    write(kTrainImages, {0, 1, 0, 1, 0, 1});
    write(kEvalImages, {1, 0});
    spec_.model = "resnet18";
    spec_.data = "tiny-imagenet";
    spec_.data_folder = data_.string();
    spec_.batch = 6;
    spec_.seed = 7;
  }

  void write(std::string_view name, const std::vector<std::int64_t>& labels) const {
    auto file = ImageFileWriter::create(
        data_ / name, {.channels = 3, .height = 64, .width = 64, .classes = {"cat", "dog"}},
        labels);
    ASSERT_TRUE(file.ok()) << file.error().message;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      std::vector<std::uint8_t> pixels(3 * 64 * 64);
      for (std::size_t at = 0; at < pixels.size(); ++at) {
        pixels[at] = static_cast<std::uint8_t>(1 + i * 20 + at % 64);
      }
      ASSERT_TRUE(file->put(static_cast<std::int64_t>(i), pixels).ok());
    }
    ASSERT_TRUE(file->finish().ok());
  }
  Result<InputParts> open() const { return open_input(spec_, scratch_.path(), run_); }
  static Batch first_batch(BatchSource& source) {
    Batch batch;
    source.begin_epoch(0);
    EXPECT_TRUE(*source.next(batch));
    return batch;
  }

  ScratchFolder scratch_;
  std::filesystem::path data_ = scratch_.path() / "data";
  RunFolder run_{scratch_.path() / "run"};
  RunSpec spec_;
};

TEST_F(PreparedImageFiles, KeepTheirSizeClassesAndStatistics) {
  const auto input = open();
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_EQ(input->shape.height, 64);
  EXPECT_EQ(input->shape.width, 64);
  EXPECT_EQ(input->shape.classes, 2);
  EXPECT_EQ(input->facts.labels, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_NEAR(input->facts.normalisation.mean[0], 82.5 / 255, 1e-6);
  const Batch eval = first_batch(*input->eval);
  EXPECT_EQ(eval.labels.data_ptr<std::int64_t>()[0], 1);
  const auto& scale = input->facts.normalisation;
  EXPECT_NEAR(eval.inputs[1][2][63][5].item<float>(),
              (26.0 / 255 - scale.mean[2]) / scale.deviation[2], 1e-5);
}

// Neighbouring pixels still differ by one level: a crop never scales.
TEST_F(PreparedImageFiles, AreShiftedAndFlippedLikeCifar) {
  const auto input = open();
  ASSERT_TRUE(input.ok()) << input.error().message;
  const auto& scale = input->facts.normalisation;
  const Batch batch = first_batch(*input->train);
  const auto levels = (batch.inputs.select(1, 0) * scale.deviation[0] + scale.mean[0]) * 255;
  for (std::int64_t image = 0; image < 6; ++image) {
    const auto row = levels[image][32];
    for (std::int64_t x = 5; x < 59; ++x) {
      EXPECT_NEAR(std::abs((row[x] - row[x - 1]).item<float>()), 1, 1e-2) << image;
    }
  }
  spec_.augment = Switch::off;
  const auto plain = open();
  EXPECT_FALSE(at::allclose(first_batch(*plain->train).inputs, batch.inputs));
}

TEST_F(PreparedImageFiles, CannotBeResized) {
  spec_.input = InputSize{3, 224, 224};
  EXPECT_EQ(open().error().message,
            "tiny-imagenet has images of 3x64x64; --input can only resize image files");
}

TEST_F(PreparedImageFiles, AreRefusedIfCutOff) {
  const auto file = data_ / kTrainImages;
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_THAT(open().error().message, StartsWith(file.string() + ": "));
  EXPECT_THAT(open().error().message, HasSubstr("prepare the dataset again"));
}

}  // namespace
}  // namespace tacho
