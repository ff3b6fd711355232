#pragma once

#include <algorithm>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"

namespace tacho::serve {

// Caches the `most` most recently used values that are slow to compute. A request for a value that
// is being computed waits for the same result. The key must cover everything that the value depends
// on.
template <class Made>
class SingleFlightCache {
 public:
  using Item = std::shared_ptr<const Made>;  // shared by the readers and the cache
  explicit SingleFlightCache(std::size_t most) : most_(most) {}

  Result<Item> get(const std::string& key, const std::function<Result<Made>()>& make) {
    std::promise<Result<Item>> promise;
    std::shared_future<Result<Item>> future;
    bool ours = false;
    {
      const std::lock_guard lock(mutex_);
      const auto at = std::ranges::find(items_, key, &Entry::key);
      ours = at == items_.end();
      if (ours) {
        items_.push_front({key, promise.get_future().share()});
        if (items_.size() > most_) items_.pop_back();
      } else {
        items_.splice(items_.begin(), items_, at);
      }
      future = items_.front().item;
    }
    if (ours) {
      auto made = make();
      promise.set_value(made.ok() ? Result<Item>(std::make_shared<const Made>(*std::move(made)))
                                  : Result<Item>(made.error()));
      if (!future.get().ok()) forget(key);
    }
    return future.get();
  }

 private:
  struct Entry {
    std::string key;
    std::shared_future<Result<Item>> item;
  };
  void forget(const std::string& key) {
    const std::lock_guard lock(mutex_);
    std::erase_if(items_, [&](const Entry& entry) { return entry.key == key; });
  }

  std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> items_;  // most recently used first
};

}  // namespace tacho::serve
