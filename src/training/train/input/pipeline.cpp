#include "training/train/input/pipeline.h"

#include <algorithm>

namespace tacho {
namespace {

// The batch being read, the next one, and some in preparation: more only takes memory, fewer lets a
// slow image stall the loop.
constexpr std::size_t kSlots = 4;

}  // namespace

Pipeline::Pipeline(std::unique_ptr<SampleSet> set, std::int64_t batch, std::int64_t workers,
                   const Share& share)
    : set_(std::move(set)), batch_(batch), share_(share), slots_(kSlots) {
  for (std::int64_t i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
}

Pipeline::~Pipeline() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  may_claim_.notify_all();
}

void Pipeline::begin_epoch(std::int64_t epoch) {
  BatchPlan plan = set_->plan(epoch);
  {
    std::unique_lock lock(mutex_);
    claiming_ = plan_.batches();  // stops further claims
    slice_done_.wait(lock, [this] { return in_flight_ == 0; });
    plan_ = std::move(plan);
    epoch_ = epoch;
    wanted_ = claiming_ = 0;
    given_ = false;
    for (Slot& slot : slots_) {
      slot.begun = slot.done = 0;
      slot.error.reset();
      slot.thrown = nullptr;
    }
  }
  may_claim_.notify_all();
}

Result<bool> Pipeline::next(Batch& batch) {
  std::unique_lock lock(mutex_);
  if (given_) {
    // The caller no longer uses the previous batch.
    slot_of(wanted_).begun = slot_of(wanted_).done = 0;
    ++wanted_;
    given_ = false;
    if (can_claim()) may_claim_.notify_one();
  }
  if (wanted_ >= plan_.batches()) return false;
  Slot& slot = slot_of(wanted_);
  const std::int64_t all = rows(wanted_);
  while (slot.done < all) {
    if (threads_.empty()) {
      fill(claim(), lock);
    } else {
      slice_done_.wait(lock);
    }
  }
  given_ = true;
  if (slot.thrown != nullptr) std::rethrow_exception(std::exchange(slot.thrown, nullptr));
  if (slot.error) return *std::exchange(slot.error, std::nullopt);
  batch = slot.batch;
  batch.weight = plan_.part_of(wanted_, share_).weight;
  return true;
}

bool Pipeline::can_claim() const {
  return claiming_ < std::min(plan_.batches(), wanted_ + static_cast<std::int64_t>(slots_.size()));
}

Pipeline::Slice Pipeline::claim() {
  Slot& slot = slot_of(claiming_);
  const std::int64_t all = rows(claiming_);
  if (slot.begun == 0) {
    try {
      set_->lay_out(plan_.part_of(claiming_, share_).samples, slot.batch);
    } catch (...) {
      slot.thrown = std::current_exception();
    }
  }
  const Slice slice{claiming_, slot.begun, std::min(slot.begun + set_->slice(), all)};
  slot.begun = slice.to;
  if (slot.begun == all) ++claiming_;
  ++in_flight_;
  return slice;
}

void Pipeline::fill(const Slice& slice, std::unique_lock<std::mutex>& lock) {
  Slot& slot = slot_of(slice.number);
  const auto chosen = plan_.part_of(slice.number, share_).samples;
  const std::int64_t epoch = epoch_;
  if (slot.thrown == nullptr && !slot.error) {
    lock.unlock();
    std::exception_ptr thrown;
    std::optional<Error> error;
    try {
      const auto filled = set_->fill(chosen, epoch, slice.from, slice.to, slot.batch);
      if (!filled.ok()) error = filled.error();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (error) slot.error = error;
    if (thrown != nullptr) slot.thrown = thrown;
  }
  slot.done += slice.to - slice.from;
  --in_flight_;
}

void Pipeline::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    may_claim_.wait(lock, [this] { return stop_ || can_claim(); });
    if (stop_) return;
    const Slice slice = claim();
    if (can_claim()) may_claim_.notify_one();
    fill(slice, lock);
    slice_done_.notify_one();
  }
}

}  // namespace tacho
