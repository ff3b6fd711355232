#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "store/run_store.h"

namespace tacho::serve {

// Stores to be used by one thread at a time each: as many are opened as are in use at once.
class StorePool {
 public:
  explicit StorePool(std::filesystem::path file) : file_(std::move(file)) {}

  // Gives the store back at its end.
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

  // Another number than before whenever the file was written to meanwhile, by whomever. The same
  // number at two moments means that what was read between them is still true.
  Result<std::int64_t> state_number();

 private:
  void give_back(std::unique_ptr<RunStore> store);

  std::filesystem::path file_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RunStore>> idle_;
  // Writes nothing itself, so it sees everyone's writes as another's.
  std::mutex watcher_mutex_;
  std::unique_ptr<RunStore> watcher_;
};

}  // namespace tacho::serve
