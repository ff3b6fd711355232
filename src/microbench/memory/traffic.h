#pragma once

// The bytes that an operation must move and the bytes that a form of it moves. Elements are fp32.

#include <cstdint>

namespace tacho::bandwidth {

inline constexpr std::int64_t kElement = 4;
inline constexpr std::int64_t kLine = 64;
inline constexpr std::int64_t kLineElements = kLine / kElement;

// Size and layout of the arrays, and the caches that hold them.
struct Shape {
  std::int64_t elements = 0;  // of each array
  std::int64_t columns = 1;   // of a matrix
  std::int64_t stride = 1;    // only every stride-th element is accessed
  // The arrays fit in a cache, so no line is fetched only to be overwritten.
  bool resident = false;
  // Size of the cache that all cores share; determines miss_share().
  std::int64_t shared_cache_bytes = 0;

  [[nodiscard]] std::int64_t touched() const { return (elements + stride - 1) / stride; }
  // Returns the cache lines of one array that are accessed.
  [[nodiscard]] std::int64_t lines() const;
  // Returns the share of random accesses to one array that miss the shared cache.
  [[nodiscard]] double miss_share() const;
};

struct Traffic {
  std::int64_t necessary = 0;
  std::int64_t moved = 0;
  bool operator==(const Traffic&) const = default;
};

// For forms that read `reads` arrays and write one. With `allocates`, each written line is read
// first, because the core cannot know that all of it will be overwritten.
Traffic streaming(const Shape& shape, int reads, bool allocates);

Traffic copy_allocating(const Shape& shape);
Traffic copy_streaming(const Shape& shape);
Traffic triad_allocating(const Shape& shape);
Traffic triad_streaming(const Shape& shape);
Traffic in_place(const Shape& shape);
Traffic read_once(const Shape& shape);

// For a transpose that accesses one side by columns, where only one element of a line is used
// before it is evicted. If that side is written, each element fetches and writes back a line.
Traffic columns_written(const Shape& shape);
Traffic columns_read(const Shape& shape);
// For a stencil that accesses both sides by columns.
Traffic columns_both(const Shape& shape);

// For indexed accesses, which also read the index: in order, or each to a different line.
Traffic indexed_in_order(const Shape& shape);
Traffic gathered(const Shape& shape);
Traffic scattered(const Shape& shape);

// For normalisation with separate passes over the whole matrix: mean, deviation, result.
Traffic normalised_in_three(const Shape& shape);
Traffic normalised_in_two(const Shape& shape);

}  // namespace tacho::bandwidth
