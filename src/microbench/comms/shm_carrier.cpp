#include "microbench/comms/shm_carrier.h"

#include <algorithm>

namespace tacho {

Result<void> ShmCarrier::open(Collective collective, std::int64_t bytes) {
  collective_ = collective;
  bytes_ = bytes;
  if (shared_.empty()) {
    const auto most = static_cast<std::size_t>(std::max(bytes, largest_));
    TACHO_TRY(memory, group_->allocate((most + sizeof(float) - 1) / sizeof(float)));
    shared_ = memory;
  }
  const bool gathers = collective == Collective::all_gather;
  all_.resize(collective == Collective::all_reduce ? 0 : static_cast<std::size_t>(bytes));
  mine_.resize(gathers ? static_cast<std::size_t>(own_bytes(collective, bytes, group_->size()))
                       : 0);
  return {};
}

std::span<std::byte> ShmCarrier::message() {
  if (collective_ != Collective::all_reduce) return all_;
  return std::as_writable_bytes(shared_).first(static_cast<std::size_t>(bytes_));
}

Result<void> ShmCarrier::put(std::span<const std::byte> mine) {
  const auto place = collective_ == Collective::all_gather ? std::span(mine_) : message();
  std::ranges::copy(mine, place.begin());
  return {};
}

Result<void> ShmCarrier::call() {
  switch (collective_) {
    case Collective::all_reduce:
      return group_->all_reduce(shared_.first(static_cast<std::size_t>(bytes_) / sizeof(float)));
    case Collective::broadcast:
      return group_->broadcast(all_, 0);
    case Collective::all_gather:
      return group_->all_gather(mine_, all_);
  }
  return {};
}

Result<void> ShmCarrier::take(std::span<std::byte> all) {
  std::ranges::copy(message(), all.begin());
  return {};
}

}  // namespace tacho
