#include "training/train/input/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace tacho {
namespace {

// Numbers as samples: row i of a batch holds sample, epoch and a random draw that depends on both.
class Numbers final : public SampleSet {
 public:
  Numbers(std::int64_t count, std::int64_t batch) : count_(count), batch_(batch) {}

  [[nodiscard]] std::int64_t samples() const override { return count_; }
  [[nodiscard]] BatchPlan plan(std::int64_t epoch) const override {
    Random random(7, static_cast<std::uint64_t>(epoch));
    return BatchPlan::shuffled(count_, batch_, random);
  }
  [[nodiscard]] std::int64_t slice() const override { return 3; }
  void lay_out(Chosen chosen, Batch& batch) const override {
    if (lay_out_throws) throw std::runtime_error("no memory for it");
    batch.inputs = at::full({static_cast<std::int64_t>(chosen.size()), 2}, -1.0);
    batch.labels = at::full({static_cast<std::int64_t>(chosen.size())}, -1, at::kLong);
  }
  Result<void> fill(Chosen chosen, std::int64_t epoch, std::int64_t from, std::int64_t to,
                    Batch& batch) const override {
    for (std::int64_t row = from; row < to; ++row) {
      const std::int64_t sample = chosen[static_cast<std::size_t>(row)];
      if (sample == unreadable) return Error{ErrorCode::invalid, "sample 5 is unreadable"};
      batch.labels.data_ptr<std::int64_t>()[row] = sample;
      batch.inputs.data_ptr<float>()[2 * row] = static_cast<float>(epoch);
      batch.inputs.data_ptr<float>()[2 * row + 1] = static_cast<float>(sample * epoch);
    }
    return {};
  }

  bool lay_out_throws = false;
  std::int64_t unreadable = -1;

 private:
  std::int64_t count_;
  std::int64_t batch_;
};

std::vector<float> all_of(std::int64_t workers, std::int64_t epochs) {
  Pipeline pipeline(std::make_unique<Numbers>(101, 8), 8, workers);
  std::vector<float> seen;
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    pipeline.begin_epoch(epoch);
    Batch batch;
    while (*pipeline.next(batch)) {
      for (std::int64_t row = 0; row < batch.size(); ++row) {
        seen.push_back(static_cast<float>(batch.labels.data_ptr<std::int64_t>()[row]));
        seen.push_back(batch.inputs.data_ptr<float>()[2 * row]);
        seen.push_back(batch.inputs.data_ptr<float>()[2 * row + 1]);
      }
    }
  }
  return seen;
}

TEST(PipelineThreads, OrderAndContentAreTheSameForAnyNumberOfWorkers) {
  const auto alone = all_of(0, 3);
  EXPECT_EQ(alone.size(), 3U * 3 * 101);
  for (const std::int64_t workers : {1, 2, 7}) EXPECT_EQ(all_of(workers, 3), alone) << workers;
}

TEST(PipelineThreads, AnEpochCanBeAbandoned) {
  Pipeline pipeline(std::make_unique<Numbers>(1000, 8), 8, 3);
  Batch batch;
  for (std::int64_t epoch = 1; epoch <= 50; ++epoch) {
    pipeline.begin_epoch(epoch);
    ASSERT_TRUE(*pipeline.next(batch));
    EXPECT_EQ(batch.inputs.data_ptr<float>()[0], static_cast<float>(epoch));
  }
}

TEST(PipelineThreads, AnUnreadableSampleIsTheErrorOfItsBatch) {
  for (const std::int64_t workers : {0, 2}) {
    auto set = std::make_unique<Numbers>(20, 4);
    set->unreadable = 5;
    Pipeline pipeline(std::move(set), 4, workers);
    pipeline.begin_epoch(1);
    Batch batch;
    int errors = 0;
    for (int i = 0; i < 5; ++i) errors += pipeline.next(batch).ok() ? 0 : 1;
    EXPECT_EQ(errors, 1);
    EXPECT_FALSE(*pipeline.next(batch));
  }
}

TEST(PipelineThreads, ExceptionsOfAThreadReachTheLoop) {
  for (const std::int64_t workers : {0, 2}) {
    auto set = std::make_unique<Numbers>(20, 4);
    set->lay_out_throws = true;
    Pipeline pipeline(std::move(set), 4, workers);
    pipeline.begin_epoch(1);
    Batch batch;
    EXPECT_THROW((void)pipeline.next(batch), std::runtime_error);
  }
}

}  // namespace
}  // namespace tacho
