#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "infer/input.h"
#include "infer/model.h"

namespace tacho::infer {

struct CacheCounts {
  std::uint64_t timeouts = 0;  // look-ups that were given up
  std::uint64_t lost = 0;      // connections
  std::uint64_t unkept = 0;    // answers that could not be kept
  std::uint64_t unusable = 0;  // entries that were none of ours
  std::uint64_t evicted = 0;   // to make room
  std::int64_t entries = -1;   // -1: not known here
  std::int64_t bytes = -1;
  bool usable = true;
};

// Answers that were given before. Belongs to one thread. A cache that cannot answer has nothing:
// requests go on without it.
class Cache {
 public:
  using Entries = std::vector<std::optional<Prediction>>;
  using Found = std::function<void(Entries)>;

  virtual ~Cache() = default;
  // Calls `found` once, at once or later, on the same thread, with an entry for each key.
  virtual void find(std::span<const Key> keys, Found found) = 0;
  virtual void keep(const Key& key, const Prediction& prediction) = 0;
  [[nodiscard]] virtual CacheCounts counts() const = 0;
};

// An entry as bytes, and back; nothing where these bytes are no prediction of so many classes.
std::string to_bytes(const Prediction& prediction);
std::optional<Prediction> prediction_from_bytes(std::string_view bytes, std::size_t classes);

}  // namespace tacho::infer
