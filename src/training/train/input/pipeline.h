#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "training/train/input/batch_source.h"
#include "training/train/input/sample_set.h"

namespace tacho {

// Prepares batches ahead of the training loop with threads; without threads, next() prepares each
// batch itself. Order and content do not depend on the number of threads. Prepares only this rank's
// share of every batch.
class Pipeline final : public BatchSource {
 public:
  Pipeline(std::unique_ptr<SampleSet> set, std::int64_t batch, std::int64_t workers,
           const Share& share = {});
  ~Pipeline() override;

  [[nodiscard]] std::int64_t samples() const override { return set_->samples(); }
  [[nodiscard]] std::int64_t batch() const override { return batch_; }
  void begin_epoch(std::int64_t epoch) override;
  Result<bool> next(Batch& batch) override;
  [[nodiscard]] std::vector<std::string> take_notes() override { return set_->take_notes(); }

 private:
  struct Slot {
    Batch batch;
    std::int64_t begun = 0;  // rows assigned to a thread
    std::int64_t done = 0;   // rows written
    std::optional<Error> error;
    std::exception_ptr thrown;  // such as torch running out of memory: next() rethrows it
  };
  struct Slice {
    std::int64_t number;  // of its batch in the epoch
    std::int64_t from;
    std::int64_t to;
  };

  Slot& slot_of(std::int64_t number) {
    return slots_[static_cast<std::size_t>(number) % slots_.size()];
  }
  [[nodiscard]] std::int64_t rows(std::int64_t number) const {
    return static_cast<std::int64_t>(plan_.part_of(number, share_).samples.size());
  }
  [[nodiscard]] bool can_claim() const;
  Slice claim();
  void fill(const Slice& slice, std::unique_lock<std::mutex>& lock);
  void work();

  const std::unique_ptr<SampleSet> set_;
  const std::int64_t batch_;  // of all ranks
  const Share share_;

  std::mutex mutex_;  // guards all below
  std::condition_variable may_claim_;
  std::condition_variable slice_done_;
  std::vector<Slot> slots_;
  BatchPlan plan_;
  std::int64_t epoch_ = 0;
  std::int64_t wanted_ = 0;    // next batch that next() returns
  std::int64_t claiming_ = 0;  // batch whose rows are being assigned
  std::int64_t in_flight_ = 0;
  bool given_ = false;  // the caller may still read a batch of this epoch
  bool stop_ = false;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace tacho
