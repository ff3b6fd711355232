#include "serving/infer/request_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>

#include "serving/infer/memory_cache.h"
#include "serving/infer/test_model.h"

namespace tacho::infer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outcome = RequestQueue::Outcome;

// The test's thread runs `io` until the awaited outcome.
class RequestQueueTest : public testing::Test {
 protected:
  void begin(RequestQueueOptions options = {}, bool cached = true) {
    options.batch.max_delay = std::chrono::microseconds(0);
    queue_ = std::make_unique<RequestQueue>(io_, background_, model_, cached ? &cache_ : nullptr,
                                            options);
  }
  ~RequestQueueTest() override {
    model_.release();
    background_.join();
    if (queue_) queue_->stop();
  }

  std::shared_ptr<std::optional<Outcome>> ask(const std::vector<std::string>& texts) {
    std::vector<Input> inputs;
    for (const std::string& text : texts) {
      Input input{.key = Sha256::of(text)};
      if (model_.facts().input == InputKind::image) {
        input.image = text;
      } else {
        input.sample = *model_.text_sample(text);
      }
      inputs.push_back(std::move(input));
    }
    auto outcome = std::make_shared<std::optional<Outcome>>();
    const auto request = queue_->open([outcome](Outcome came) { *outcome = std::move(came); });
    queue_->ask(request, std::move(inputs));
    return outcome;
  }
  const Outcome& wait_for(const std::shared_ptr<std::optional<Outcome>>& outcome) {
    while (!*outcome) io_.run_one();
    return **outcome;
  }
  std::vector<RequestQueue::Answer> answers(const std::vector<std::string>& texts) {
    return std::get<0>(wait_for(ask(texts)));
  }
  RequestQueue::Refusal refusal(const std::shared_ptr<std::optional<Outcome>>& outcome) {
    return std::get<1>(wait_for(outcome));
  }

  boost::asio::io_context io_;
  // Without it, run_one() stops the context when there is nothing to do for a moment.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  boost::asio::thread_pool background_{1};
  LetterModel model_;
  MemoryCache cache_{{}};
  std::unique_ptr<RequestQueue> queue_;
};

TEST_F(RequestQueueTest, AnswersFromTheCache) {
  begin();
  const auto first = answers({"ab", "aa"});
  EXPECT_FALSE(first[0].cached || first[1].cached);
  const auto second = answers({"aa", "bb", "ab"});
  EXPECT_TRUE(second[0].cached && second[2].cached);
  EXPECT_FALSE(second[1].cached);
  EXPECT_EQ(second[0].prediction, first[1].prediction);
  EXPECT_EQ(queue_->batches().samples, 3U);
  EXPECT_EQ(queue_->counts().hits, 2U);
  EXPECT_EQ(queue_->counts().misses, 3U);
}

TEST_F(RequestQueueTest, ComputesEqualInputsOnce) {
  begin();
  model_.hold();
  std::vector<std::shared_ptr<std::optional<Outcome>>> asked;
  for (int i = 0; i < 20; ++i) asked.push_back(ask({"ab", "ab"}));
  model_.release();
  for (const auto& one : asked) {
    EXPECT_EQ(std::get<0>(wait_for(one))[1].prediction.probabilities[1], 0.5F);
  }
  EXPECT_EQ(queue_->batches().samples, 1U);
  EXPECT_EQ(queue_->counts().joined, 39U);
}

TEST_F(RequestQueueTest, ComputesEachInputWithoutCacheAndCoalescing) {
  begin({.coalesce = false}, false);
  EXPECT_EQ(answers({"ab", "ab"}).size(), 2U);
  EXPECT_FALSE(answers({"ab"})[0].cached);
  EXPECT_EQ(queue_->batches().samples, 3U);
}

TEST_F(RequestQueueTest, RefusesAWholeRequestWithoutRoom) {
  begin({.batch = {.max_batch = 1, .queue = 2}});
  model_.hold();
  const auto first = ask({"a"});
  model_.await_batches(1);
  EXPECT_EQ(refusal(ask({"b", "c", "d"})).status, 503);
  const auto second = ask({"b", "c"});
  EXPECT_EQ(refusal(ask({"e"})).status, 503);
  model_.release();
  EXPECT_EQ(std::get<0>(wait_for(second)).size(), 2U);
  EXPECT_EQ(std::get<0>(wait_for(first)).size(), 1U);
  EXPECT_EQ(queue_->counts().refused, 2U);
  EXPECT_EQ(answers({"b", "c", "a"})[0].cached, true);
}

TEST_F(RequestQueueTest, RefusesARequestAtItsDeadlineAndFreesItsSlot) {
  begin({.batch = {.max_batch = 1}, .deadline = std::chrono::milliseconds(20)});
  model_.hold();
  const auto computing = ask({"a"});
  model_.await_batches(1);
  const auto queued = ask({"b"});
  EXPECT_EQ(refusal(computing).status, 504);
  EXPECT_EQ(refusal(queued).status, 504);
  model_.release();
  // No request waits for "b" any more, so a new request computes it.
  const auto again = ask({"b"});
  const Outcome& came = wait_for(again);
  EXPECT_TRUE(came.index() == 0 || std::get<1>(came).status == 504);
  EXPECT_EQ(queue_->counts().too_late, came.index() == 0 ? 2U : 3U);
}

TEST_F(RequestQueueTest, ABadInputIsNamedAndDoesNotAffectOthers) {
  begin({.batch = {.max_batch = 8}});
  model_.hold();
  const auto good = ask({"a", "ab"});
  const auto bad = ask({"a", "!!"});
  model_.release();
  EXPECT_EQ(std::get<0>(wait_for(good)).size(), 2U);
  const RequestQueue::Refusal why = refusal(bad);
  EXPECT_EQ(why.status, 500);
  EXPECT_EQ(why.why, "input 1: this one is bad");
}

TEST_F(RequestQueueTest, DecodesOnlyImagesThatAreNotCached) {
  model_.become_image_model();
  begin();
  EXPECT_FALSE(answers({"Image"})[0].cached);
  EXPECT_TRUE(answers({"Image"})[0].cached);
  const RequestQueue::Refusal why = refusal(ask({"Image", "no"}));
  EXPECT_EQ(why.status, 422);
  EXPECT_THAT(why.why, HasSubstr("input 1: not an image"));
}

TEST_F(RequestQueueTest, TheDeadlineCoversTheParsingOfInputs) {
  begin({.deadline = std::chrono::milliseconds(20)});
  auto outcome = std::make_shared<std::optional<Outcome>>();
  const auto request = queue_->open([outcome](Outcome came) { *outcome = std::move(came); });
  EXPECT_EQ(queue_->counts().waiting, 1U);
  EXPECT_EQ(refusal(outcome).status, 504);
  EXPECT_TRUE(RequestQueue::is_late(*request));
  queue_->ask(request, {Input{.key = Sha256::of("a"), .sample = *model_.text_sample("a")}});
  EXPECT_EQ(queue_->counts().misses, 0U);
  EXPECT_EQ(queue_->counts().waiting, 0U);
}

TEST_F(RequestQueueTest, DropsARequestThatCannotBeParsed) {
  begin({.deadline = std::chrono::milliseconds(1)});
  bool called = false;
  const auto request = queue_->open([&called](const Outcome&) { called = true; });
  queue_->drop(*request);
  queue_->drop(*request);
  EXPECT_EQ(queue_->counts().waiting, 0U);
  // A later request has a later deadline and is answered then.
  auto outcome = std::make_shared<std::optional<Outcome>>();
  (void)queue_->open([outcome](Outcome came) { *outcome = std::move(came); });
  EXPECT_EQ(refusal(outcome).status, 504);
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace tacho::infer
