#include "serving/infer/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "serving/infer/test_language_model.h"

namespace tacho::infer {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;

// Collects the pieces of each text by its number.
class GeneratorTest : public testing::Test {
 protected:
  struct Made {
    std::string text;
    Piece last;
    int pieces = 0;
    bool ended = false;
  };

  void begin(GeneratorOptions options = {}, int instances = 1) {
    model_ = std::make_unique<AlphabetModel>(instances);
    generator_ = std::make_unique<Generator>(*model_, options);
  }
  Generation prompt(int number, const std::string& text, std::int64_t max_tokens = 5) {
    Generation one;
    one.prompt = *model_->tokens(text);
    one.sampling.temperature = 0;
    one.max_tokens = max_tokens;
    one.until = std::chrono::steady_clock::now() + std::chrono::hours(1);
    one.wanted = [] { return true; };
    one.give = [this, number](const Piece& piece) {
      const std::lock_guard lock(mutex_);
      Made& made = made_[number];
      EXPECT_FALSE(made.ended) << number;
      made.text += piece.text;
      ++made.pieces;
      if (piece.is_last()) {
        made.ended = true;
        made.last = piece;
      }
      changed_.notify_all();
    };
    return one;
  }
  bool submit(Generation one) { return generator_->submit({std::move(one)}); }
  Made result(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return made_[number].ended; });
    return made_[number];
  }

  std::unique_ptr<AlphabetModel> model_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, Made> made_;
  std::unique_ptr<Generator> generator_;  // last: its threads use the members above
};

TEST_F(GeneratorTest, EndsAtTheLengthOrWhereTheModelEnds) {
  begin();
  submit(prompt(1, "a"));
  submit(prompt(2, "w"));
  submit(prompt(3, "u"));
  EXPECT_EQ(result(1).text, "bcdef");
  EXPECT_EQ(result(1).last.finish, FinishReason::length);
  EXPECT_EQ(result(1).pieces, 5);
  EXPECT_EQ(result(2).text, "xyz");
  EXPECT_EQ(result(2).last.finish, FinishReason::stop);
  EXPECT_EQ(result(2).last.tokens, 3);
  EXPECT_EQ(result(3).text, "vwxyz");
  EXPECT_EQ(result(3).last.finish, FinishReason::length);
  EXPECT_EQ(generator_->counts().generated_tokens, 13U);
  EXPECT_EQ(generator_->counts().prompt_tokens, 3U);
}

TEST_F(GeneratorTest, StopStringsEndATextAndAreLeftOut) {
  begin();
  Generation one = prompt(1, "a", 20);
  one.stops = {"hij", "fg"};
  submit(std::move(one));
  EXPECT_EQ(result(1).text, "bcde");
  EXPECT_EQ(result(1).last.finish, FinishReason::stop);
  EXPECT_EQ(result(1).last.tokens, 6);
  Generation other = prompt(2, "a", 4);
  other.stops = {"efg"};
  submit(std::move(other));
  EXPECT_EQ(result(2).text, "bcde");  // 'e' was held back
  EXPECT_EQ(result(2).last.finish, FinishReason::length);
}

TEST_F(GeneratorTest, TextsThatArriveLaterJoinBetweenSteps) {
  begin({.max_batch = 2});
  model_->hold();
  submit(prompt(1, "a", 9));
  model_->await_steps(1);
  for (int i = 2; i < 7; ++i) submit(prompt(i, std::string(1, static_cast<char>('a' + i)), i));
  EXPECT_EQ(generator_->counts().queued, 5U);
  EXPECT_EQ(generator_->counts().active, 1U);
  model_->release();
  EXPECT_EQ(result(1).text, "bcdefghij");
  EXPECT_EQ(result(2).text, "de");
  EXPECT_EQ(result(6).text, "hijklm");
  const auto sizes = model_->steps();
  EXPECT_THAT(sizes, Each(Le(2U)));
  EXPECT_EQ(sizes[0], 1U);
  EXPECT_EQ(sizes[1], 2U);
  EXPECT_EQ(generator_->counts().active, 0U);
}

TEST_F(GeneratorTest, AFailureHarmsNoOtherText) {
  begin();
  model_->hold();
  submit(prompt(1, "a"));
  model_->await_steps(1);
  submit(prompt(2, "b!"));
  submit(prompt(3, "b?"));
  submit(prompt(4, "d"));
  model_->release();
  EXPECT_EQ(result(1).text, "bcdef");
  EXPECT_EQ(result(4).text, "efghi");
  EXPECT_EQ(result(2).last.refusal->status, 500);
  EXPECT_EQ(result(2).last.refusal->why, "unreadable");
  EXPECT_THAT(result(3).last.refusal->why, HasSubstr("NaN"));
  EXPECT_EQ(generator_->counts().failed, 2U);
}

TEST_F(GeneratorTest, EndsTextsThatNobodyWaitsFor) {
  begin({.max_batch = 1});
  model_->hold();
  const auto wanted = std::make_shared<std::atomic<bool>>(true);
  for (int i = 1; i < 3; ++i) {
    Generation one = prompt(i, "a", 20);
    one.wanted = [wanted] { return wanted->load(); };
    submit(std::move(one));
  }
  model_->await_steps(1);  // one is active, one waits
  *wanted = false;
  model_->release();
  EXPECT_TRUE(result(1).last.refusal);
  EXPECT_TRUE(result(2).last.refusal);
  EXPECT_EQ(model_->steps().size(), 1U);
  EXPECT_EQ(generator_->counts().unwanted, 2U);
}

TEST_F(GeneratorTest, EndsTextsAtTheirDeadline) {
  begin({.max_batch = 1, .deadline = std::chrono::milliseconds(7)});
  for (int i = 1; i < 3; ++i) {
    Generation one = prompt(i, "a", 20);
    one.until = std::chrono::steady_clock::now();
    submit(std::move(one));
    EXPECT_EQ(result(i).last.refusal->status, 504);
    EXPECT_THAT(result(i).last.refusal->why, HasSubstr("7 ms (--deadline-ms)"));
  }
  EXPECT_EQ(generator_->counts().too_late, 2U);
}

TEST_F(GeneratorTest, AcceptsAllTextsOfARequestOrNone) {
  begin({.max_batch = 1, .queue = 2});
  model_->hold();
  submit(prompt(1, "a"));
  model_->await_steps(1);
  EXPECT_TRUE(submit(prompt(2, "a")));
  std::vector<Generation> two;
  two.push_back(prompt(3, "a"));
  two.push_back(prompt(4, "a"));
  EXPECT_FALSE(generator_->submit(std::move(two)));
  EXPECT_TRUE(submit(prompt(5, "b")));
  model_->release();
  EXPECT_EQ(result(5).text, "cdefg");
  EXPECT_EQ(made_.count(3), 0U);
}

TEST_F(GeneratorTest, InstancesShareTheQueue) {
  begin({.max_batch = 4}, 2);
  model_->hold();
  submit(prompt(1, "a"));
  submit(prompt(2, "b"));
  model_->await_steps(2);  // one in each
  EXPECT_THAT(model_->steps(), ElementsAre(1, 1));
  model_->release();
  EXPECT_EQ(result(1).text, "bcdef");
  EXPECT_EQ(result(2).text, "cdefg");
}

TEST_F(GeneratorTest, StopsWithoutFinishing) {
  begin({.queue = 10'000'000});
  model_->hold();
  submit(prompt(1, "a", 20));
  model_->await_steps(1);
  std::jthread stopper([this] { generator_->stop(); });
  while (submit(prompt(2, "b"))) std::this_thread::yield();
  model_->release();
  stopper.join();
  EXPECT_FALSE(made_[1].ended);
}

}  // namespace
}  // namespace tacho::infer
