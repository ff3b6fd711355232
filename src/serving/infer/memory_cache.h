#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <unordered_map>

#include "serving/infer/cache.h"

namespace tacho::infer {

// Caches answers in this process. Evicts the least recently used.
class MemoryCache final : public Cache {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    std::size_t bytes = 64 << 20;
    std::chrono::milliseconds ttl{3'600'000};
    std::function<Clock::time_point()> now = Clock::now;  // replaced in tests
  };
  explicit MemoryCache(Options options) : options_(std::move(options)) {}

  void find(std::span<const Key> keys, Found found) override;
  void keep(const Key& key, const Prediction& prediction) override;
  [[nodiscard]] CacheCounts counts() const override;

 private:
  struct Entry {
    Key key;
    Prediction prediction;
    Clock::time_point until;
  };
  using Place = std::list<Entry>::iterator;

  [[nodiscard]] static std::size_t size_of(const Entry& entry);
  [[nodiscard]] std::optional<Prediction> find(const Key& key);
  void remove(Place place);

  Options options_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<Key, Place, KeyHash> places_;
  std::size_t bytes_ = 0;
  std::uint64_t evicted_ = 0;
};

}  // namespace tacho::infer
