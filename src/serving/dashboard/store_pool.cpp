#include "serving/dashboard/store_pool.h"

namespace tacho::serve {

Result<StorePool::Lease> StorePool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<RunStore> store = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(store));
    }
  }
  TACHO_TRY(store, RunStore::open(file_));
  return Lease(*this, std::make_unique<RunStore>(std::move(store)));
}

void StorePool::give_back(std::unique_ptr<RunStore> store) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(store));
}

Result<std::int64_t> StorePool::state_number() {
  const std::lock_guard lock(watcher_mutex_);
  if (!watcher_) {
    TACHO_TRY(store, RunStore::open(file_));
    watcher_ = std::make_unique<RunStore>(std::move(store));
  }
  return watcher_->state_number();
}

}  // namespace tacho::serve
