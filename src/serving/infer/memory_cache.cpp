#include "serving/infer/memory_cache.h"

namespace tacho::infer {

// Includes the overhead of the list, the map and the allocator.
std::size_t MemoryCache::size_of(const Entry& entry) {
  constexpr std::size_t kOverhead = 128;
  return sizeof(Entry) + entry.prediction.probabilities.capacity() * sizeof(float) + kOverhead;
}

std::optional<Prediction> MemoryCache::find(const Key& key) {
  const auto at = places_.find(key);
  if (at == places_.end()) return std::nullopt;
  if (at->second->until <= options_.now()) {
    remove(at->second);
    return std::nullopt;
  }
  entries_.splice(entries_.begin(), entries_, at->second);
  return at->second->prediction;
}

void MemoryCache::find(std::span<const Key> keys, Found found) {
  Entries entries;
  entries.reserve(keys.size());
  for (const Key& key : keys) entries.push_back(find(key));
  found(std::move(entries));
}

void MemoryCache::keep(const Key& key, const Prediction& prediction) {
  if (const auto at = places_.find(key); at != places_.end()) remove(at->second);
  entries_.push_front({key, prediction, options_.now() + options_.ttl});
  places_.emplace(key, entries_.begin());
  bytes_ += size_of(entries_.front());
  while (bytes_ > options_.bytes && !entries_.empty()) {
    remove(std::prev(entries_.end()));
    ++evicted_;
  }
}

void MemoryCache::remove(Place place) {
  bytes_ -= size_of(*place);
  places_.erase(place->key);
  entries_.erase(place);
}

CacheCounts MemoryCache::counts() const {
  return {.evicted = evicted_,
          .entries = static_cast<std::int64_t>(entries_.size()),
          .bytes = static_cast<std::int64_t>(bytes_)};
}

}  // namespace tacho::infer
