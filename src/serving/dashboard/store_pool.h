#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "core/store/run_store.h"

namespace tacho::serve {

// A pool of stores, each used by one thread at a time: opens as many as are in use at once.
class StorePool {
 public:
  explicit StorePool(std::filesystem::path file) : file_(std::move(file)) {}

  // Returns the store to the pool at its end.
  class Lease {
   public:
    Lease(StorePool& pool, std::unique_ptr<RunStore> store)
        : pool_(&pool), store_(std::move(store)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (store_) pool_->give_back(std::move(store_));
    }
    RunStore& operator*() const { return *store_; }
    RunStore* operator->() const { return store_.get(); }

   private:
    StorePool* pool_;
    std::unique_ptr<RunStore> store_;
  };
  Result<Lease> take();

  // Changes whenever any process wrote to the file. If the number is equal at two times, what was
  // read between them is still valid.
  Result<std::int64_t> state_number();

 private:
  void give_back(std::unique_ptr<RunStore> store);

  std::filesystem::path file_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RunStore>> idle_;
  // Never writes, so that SQLite reports every write as one of another connection.
  std::mutex watcher_mutex_;
  std::unique_ptr<RunStore> watcher_;
};

}  // namespace tacho::serve
