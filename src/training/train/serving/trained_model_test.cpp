#include "training/train/serving/trained_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/file.h"
#include "base/random.h"
#include "base/scratch_folder.h"
#include "training/data/image_data.h"
#include "training/data/locate_input.h"
#include "training/data/sentences.h"
#include "training/image/test_images.h"
#include "training/train/quick_paths.h"
#include "training/train/trainer.h"

namespace tacho {
namespace {

using testing::HasSubstr;

// A briefly trained run with the result of its last evaluation.
class TrainedRun {
 public:
  explicit TrainedRun(RunSpec spec) : order_{"a-key", 0, std::move(spec)} {}

  void train_it() {
    ASSERT_TRUE(folder_.create(order_).ok());
    const Report report = [this](const EventBody& body) -> Result<void> {
      if (const auto* epoch = std::get_if<EpochDone>(&body)) last_ = *epoch;
      return {};
    };
    const std::atomic<bool> stop{false};
    at::set_num_threads(1);
    const auto end = train({order_, folder_, scratch_.path(), paths_, report, stop});
    ASSERT_TRUE(end.ok()) << end.error().message;
  }
  std::unique_ptr<TrainedModel> model(ServingOptions options = {}) {
    auto loaded = TrainedModel::load(folder_, scratch_.path(), options);
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    if (!loaded.ok()) return nullptr;
    EXPECT_TRUE((*loaded)->begin(0).ok());
    return *std::move(loaded);
  }

  ScratchFolder scratch_;
  RunOrder order_;
  RunFolder folder_{scratch_.path() / "run"};
  ComputePaths paths_ = quick_paths();
  EpochDone last_;
};

// Sentences of many lengths whose class one word reveals.
std::string some_sentences(int count, std::uint64_t seed) {
  Random random(seed, 0);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const auto label = random.next() % 2;
    for (std::uint64_t word = random.next() % 30; word > 0; --word) {
      lines += "word" + std::to_string(random.next() % 40) + " ";
    }
    lines += std::string(label == 1 ? "Good" : "bad") + "\t" + std::to_string(label) + "\n";
  }
  return lines;
}

class ServedText : public testing::Test {
 protected:
  ServedText() {
    EXPECT_TRUE(make_folders(data_).ok());
    EXPECT_TRUE(write_file_atomically(data_ / "train.tsv", some_sentences(200, 1)).ok());
    EXPECT_TRUE(write_file_atomically(data_ / "dev.tsv", some_sentences(60, 2)).ok());
  }
  RunSpec spec(const std::string& model) const {
    RunSpec spec;
    spec.model = model;
    spec.data = "sst2";
    spec.data_folder = data_.string();
    spec.batch = 20;
    spec.threads = 1;
    spec.optimizer = {.kind = OptimizerKind::adam, .learning_rate = 0.01};
    return spec;
  }
  ScratchFolder scratch_;
  std::filesystem::path data_ = scratch_.path() / "data";
};

TEST_F(ServedText, EqualsTheLastEvaluationBatchedOrAlone) {
  TrainedRun run(spec("lstm"));
  run.train_it();
  const auto model = run.model();
  const auto sentences = *read_sentences(data_ / "dev.tsv");
  std::vector<std::vector<std::int32_t>> tokens;
  for (const auto& sentence : sentences) tokens.push_back(*model->tokens(sentence.text));
  const std::vector<TrainedModel::Tokens> all(tokens.begin(), tokens.end());
  const auto together = *model->of_texts(0, all);  // in any order, padded to the longest
  double loss = 0;
  int right = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto alone = *model->of_texts(0, std::span(all).subspan(i, 1));
    for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(alone[0][c], together[i][c], 1e-5);
    const auto label = static_cast<std::size_t>(sentences[i].label);
    loss -= std::log(alone[0][label]);
    right += alone[0][label] > 0.5F ? 1 : 0;
  }
  EXPECT_NEAR(loss / static_cast<double>(all.size()), run.last_.eval_loss, 1e-5);
  EXPECT_NEAR(right / static_cast<double>(all.size()), run.last_.top1, 1e-9);
  EXPECT_EQ(model->input().labels, (std::vector<std::string>{"negative", "positive"}));
}

TEST_F(ServedText, DistilBertEqualsTheLastEvaluation) {
  RunSpec small = spec("distilbert");
  small.train_samples = 4;
  small.eval_samples = 6;
  small.batch = 2;
  small.length = 16;  // truncates some of the sentences
  small.optimizer.learning_rate = 1e-4;
  TrainedRun run(small);
  run.train_it();
  const auto model = run.model();
  auto sentences = *read_sentences(data_ / "dev.tsv");
  sentences.resize(6);
  std::vector<std::vector<std::int32_t>> tokens;
  for (const auto& sentence : sentences) tokens.push_back(*model->tokens(sentence.text));
  const std::vector<TrainedModel::Tokens> all(tokens.begin(), tokens.end());
  const auto together = *model->of_texts(0, all);
  const auto alone = *model->of_texts(0, std::span(all).subspan(2, 1));
  EXPECT_NEAR(alone[0][0], together[2][0], 1e-5);
  double loss = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    loss -= std::log(together[i][static_cast<std::size_t>(sentences[i].label)]);
  }
  EXPECT_NEAR(loss / 6, run.last_.eval_loss, 1e-5);
  EXPECT_EQ(model->max_tokens(), 16);
  std::string long_text;
  for (int i = 0; i < 10'000; ++i) long_text += "word1 ";
  EXPECT_EQ(model->tokens(long_text)->size(), 16U);
}

TEST_F(ServedText, NeedsOnlyTheRunsFolder) {
  TrainedRun run(spec("lstm"));
  run.train_it();
  const std::string before = run.model()->digest();
  std::filesystem::remove_all(data_);
  EXPECT_EQ(run.model()->digest(), before);
  // A run of an older Tacho needs its data again.
  std::filesystem::remove(run.folder_.input());
  const auto without = TrainedModel::load(run.folder_, run.scratch_.path(), {});
  ASSERT_FALSE(without.ok());
  EXPECT_THAT(without.error().message, HasSubstr("the model's training data is needed"));
}

TEST_F(ServedText, AnotherTrainingIsAnotherDigest) {
  TrainedRun one(spec("lstm"));
  one.train_it();
  RunSpec otherwise = spec("lstm");
  otherwise.seed = 5;
  TrainedRun other(otherwise);
  other.train_it();
  EXPECT_EQ(one.model()->digest(), one.model()->digest());
  EXPECT_NE(one.model()->digest(), other.model()->digest());
}

TEST_F(ServedText, TruncatesWordsAsInTraining) {
  RunSpec cut = spec("lstm");
  cut.length = 2;
  TrainedRun run(cut);
  run.train_it();
  EXPECT_EQ(run.model()->tokens("a a a")->size(), 2U);
}

TEST_F(ServedText, ExplainsWhichTextsAndRunsItRefuses) {
  TrainedRun run(spec("lstm"));
  run.train_it();
  const auto model = run.model({.max_words = 10});
  EXPECT_THAT(model->tokens("  ").error().message, HasSubstr("has no words"));
  EXPECT_THAT(model->tokens("a a a a a a a a a a a").error().message, HasSubstr("--max-words"));
  EXPECT_TRUE(model->tokens("\xff\xfe unheard of").ok());
  std::filesystem::remove_all(run.folder_.checkpoints());
  EXPECT_THAT(TrainedModel::load(run.folder_, run.scratch_.path(), {}).error().message,
              HasSubstr("no checkpoint"));
  ASSERT_TRUE(write_file_atomically(run.folder_.input(), "{\"channels\": 1}").ok());
  EXPECT_FALSE(read_input_facts(run.folder_).ok());
}

TEST(ServedImages, ArePreprocessedLikeEvaluation) {
  RunSpec spec;
  spec.model = "mnist-cnn";
  spec.data = "fashion-mnist";
  // Without Debian's package this variable names the folder.
  if (const char* folder = std::getenv("TACHO_TEST_FASHION_MNIST")) spec.data_folder = folder;
  spec.batch = 32;
  spec.train_samples = 200;
  spec.eval_samples = 40;
  spec.threads = 1;
  spec.optimizer = {.learning_rate = 0.02, .momentum = 0.9};
  TrainedRun run(spec);
  run.train_it();
  const auto model = run.model();
  const auto located = *locate_input(spec, run.scratch_.path());
  const ImageData data = *load_images(*located.dataset, located.folder);
  std::vector<std::vector<float>> pixels;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto* first = data.eval.pixels.data() + i * 28 * 28;
    pixels.push_back(
        *model->pixels(png_bytes(Picture{28, 28, 1, ByteVector(first, first + 28 * 28)})));
  }
  const std::vector<TrainedModel::Pixels> all(pixels.begin(), pixels.end());
  const auto together = *model->of_images(0, all);
  double loss = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto alone = *model->of_images(0, std::span(all).subspan(i, 1));
    for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(alone[0][c], together[i][c], 1e-5);
    loss -= std::log(together[i][static_cast<std::size_t>(data.eval.labels[i])]);
  }
  EXPECT_NEAR(loss / 40, run.last_.eval_loss, 1e-5);
  EXPECT_EQ(model->input().labels[9], "Ankle boot");
  EXPECT_FALSE(model->pixels(ByteVector{1, 2, 3}).ok());
  EXPECT_TRUE(model->pixels(jpeg_bytes(soft_picture(200, 90))).ok());
}

}  // namespace
}  // namespace tacho
