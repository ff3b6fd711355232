#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serving/infer/input.h"
#include "serving/infer/model.h"

namespace tacho::infer {

struct CacheCounts {
  std::uint64_t timeouts = 0;  // look-ups that timed out
  std::uint64_t lost = 0;      // lost connections
  std::uint64_t unkept = 0;    // answers that could not be stored
  std::uint64_t unusable = 0;  // invalid entries
  std::uint64_t evicted = 0;   // evicted entries
  std::int64_t entries = -1;   // -1 if unknown
  std::int64_t bytes = -1;
  bool usable = true;
};

// Caches answers. Belongs to one thread. A cache that fails finds nothing: requests continue
// without it.
class Cache {
 public:
  using Entries = std::vector<std::optional<Prediction>>;
  using Found = std::function<void(Entries)>;

  virtual ~Cache() = default;
  // Calls `found` once, immediately or later, on the same thread, with one entry per key.
  virtual void find(std::span<const Key> keys, Found found) = 0;
  virtual void keep(const Key& key, const Prediction& prediction) = 0;
  [[nodiscard]] virtual CacheCounts counts() const = 0;
};

// Serializes an entry. prediction_from_bytes() returns nothing for bytes that are not a prediction
// of `classes` classes.
std::string to_bytes(const Prediction& prediction);
std::optional<Prediction> prediction_from_bytes(std::string_view bytes, std::size_t classes);

}  // namespace tacho::infer
