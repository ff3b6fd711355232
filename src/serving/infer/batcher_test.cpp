#include "serving/infer/batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "serving/infer/test_model.h"

namespace tacho::infer {
namespace {

using testing::ElementsAre;

Key numbered(int number) { return Sha256::of(std::to_string(number)); }

// Collects results by the number of the sample.
class BatcherTest : public testing::Test {
 protected:
  void begin(BatchOptions options, int instances = 1) {
    model_ = std::make_unique<LetterModel>(instances);
    batcher_ = std::make_unique<Batcher>(*model_, options, [this](std::vector<Computed> computed) {
      const std::lock_guard lock(mutex_);
      for (Computed& one : computed) results_.insert_or_assign(one.key, std::move(one.prediction));
      changed_.notify_all();
    });
  }
  bool submit(int number, const std::string& text, std::shared_ptr<std::atomic<int>> wanted = {}) {
    return batcher_->submit({numbered(number), *model_->text_sample(text), std::move(wanted)});
  }
  Result<Prediction> result(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return results_.contains(numbered(number)); });
    return results_.at(numbered(number));
  }
  // The first batch blocks in the model until release(), so that later samples queue up.
  void occupy() {
    model_->hold();
    submit(-1, "x");
    model_->await_batches(1);
  }

  std::unique_ptr<LetterModel> model_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, Result<Prediction>> results_;
  std::unique_ptr<Batcher> batcher_;
};

TEST_F(BatcherTest, QueuedSamplesShareABatch) {
  begin({.max_batch = 8, .max_delay = std::chrono::microseconds(0)});
  occupy();
  for (int i = 0; i < 10; ++i) submit(i, std::string(1 + i % 3, i % 2 == 0 ? 'a' : 'b'));
  model_->release();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(result(i)->index(), i % 2 == 0 ? 1U : 0U) << i;
  EXPECT_THAT(model_->batches(), ElementsAre(1, 8, 2));
  EXPECT_EQ(batcher_->counts().samples, 11U);
}

TEST_F(BatcherTest, TheOldestIsComputedFirstWithSimilarLengths) {
  begin({.max_batch = 4, .max_delay = std::chrono::microseconds(0)});
  occupy();
  submit(0, std::string(30, 'a'));
  for (int i = 1; i <= 8; ++i) submit(i, std::string(i % 2 == 0 ? 29 : 2, 'a'));
  model_->release();
  for (int i = 0; i <= 8; ++i) EXPECT_TRUE(result(i).ok());
  const BatchCounts counts = batcher_->counts();
  // Batches contain similar lengths, so there is hardly any padding.
  EXPECT_LE(counts.padded_tokens, counts.tokens + 4);
}

TEST_F(BatcherTest, ALongTextDoesNotPadShortOnes) {
  EXPECT_THAT(cut_by_length(std::vector<std::size_t>{1, 2, 10, 18}), ElementsAre(0));
  EXPECT_THAT(cut_by_length(std::vector<std::size_t>{5, 6, 500}), ElementsAre(0, 2));
  EXPECT_THAT(cut_by_length(std::vector<std::size_t>{}), ElementsAre(0));
}

TEST_F(BatcherTest, ABadSampleFailsAlone) {
  begin({.max_batch = 4, .max_delay = std::chrono::microseconds(0)});
  occupy();
  submit(1, "aa");
  submit(2, "b!");
  submit(3, "ab");
  model_->release();
  EXPECT_EQ(result(1)->probabilities[1], 1.0F);
  EXPECT_EQ(result(2).error().message, "this one is bad");
  EXPECT_EQ(result(3)->probabilities[1], 0.5F);
}

TEST_F(BatcherTest, LimitsTheQueue) {
  begin({.max_batch = 1, .max_delay = std::chrono::microseconds(0), .queue = 2});
  occupy();
  EXPECT_EQ(batcher_->room(), 2U);
  EXPECT_TRUE(submit(1, "a"));
  EXPECT_TRUE(submit(2, "a"));
  EXPECT_FALSE(submit(3, "a"));
  EXPECT_EQ(batcher_->room(), 0U);
  model_->release();
  EXPECT_TRUE(result(2).ok());
  EXPECT_EQ(batcher_->room(), 2U);
}

TEST_F(BatcherTest, SkipsSamplesWithoutAWaitingRequest) {
  begin({.max_batch = 4, .max_delay = std::chrono::microseconds(0)});
  occupy();
  submit(1, "a", std::make_shared<std::atomic<int>>(0));
  submit(2, "a", std::make_shared<std::atomic<int>>(1));
  model_->release();
  EXPECT_TRUE(result(2).ok());
  EXPECT_THAT(model_->batches(), ElementsAre(1, 1));
}

TEST_F(BatcherTest, AFullBatchDoesNotWait) {
  begin({.max_batch = 2, .max_delay = std::chrono::hours(1)});
  submit(1, "a");
  submit(2, "b");
  EXPECT_TRUE(result(1).ok());
  EXPECT_TRUE(result(2).ok());
}

TEST_F(BatcherTest, StopComputesQueuedSamples) {
  begin({.max_batch = 2, .max_delay = std::chrono::hours(1)}, 2);
  submit(1, "a");
  for (int i = 2; i < 40; ++i) submit(i, "ab");
  batcher_->stop();
  for (int i = 1; i < 40; ++i) EXPECT_TRUE(result(i).ok());
  EXPECT_FALSE(submit(99, "a"));
}

}  // namespace
}  // namespace tacho::infer
