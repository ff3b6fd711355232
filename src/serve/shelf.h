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

// What takes long to make, made once: kept until so many others were asked for since. Who asks
// while it is being made waits for the same. Its key must say all that it was made of.
template <class Made>
class Shelf {
 public:
  using Item = std::shared_ptr<const Made>;  // shared by whoever reads it and the shelf
  explicit Shelf(std::size_t most) : most_(most) {}

  Result<Item> get(const std::string& key, const std::function<Result<Made>()>& make) {
    std::promise<Result<Item>> promise;
    std::shared_future<Result<Item>> future;
    bool ours = false;
    {
      const std::lock_guard lock(mutex_);
      const auto at = std::ranges::find(items_, key, &Kept::key);
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
  struct Kept {
    std::string key;
    std::shared_future<Result<Item>> item;
  };
  void forget(const std::string& key) {
    const std::lock_guard lock(mutex_);
    std::erase_if(items_, [&](const Kept& kept) { return kept.key == key; });
  }

  std::size_t most_;
  std::mutex mutex_;
  std::list<Kept> items_;  // the last used first
};

}  // namespace tacho::serve
