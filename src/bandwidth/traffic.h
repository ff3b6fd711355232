#pragma once

// Bytes that an operation cannot do without, and bytes that a form of it moves: where they differ,
// the form's loss is no riddle. Pure arithmetic, in fp32 elements.

#include <cstdint>

namespace tacho::bandwidth {

inline constexpr std::int64_t kElement = 4;
inline constexpr std::int64_t kLine = 64;
inline constexpr std::int64_t kLineElements = kLine / kElement;

// What is worked on, and what holds a part of it.
struct Shape {
  std::int64_t elements = 0;  // of each array
  std::int64_t columns = 1;   // of a row, where the array is a matrix
  std::int64_t stride = 1;    // only every so manieth element is touched
  // The arrays stay in a cache: nothing is fetched only to be overwritten.
  bool resident = false;
  // A cache that all share: a random access finds its line there this often.
  std::int64_t shared_cache_bytes = 0;

  [[nodiscard]] std::int64_t touched() const { return (elements + stride - 1) / stride; }
  // Lines of one array that hold what is touched.
  [[nodiscard]] std::int64_t lines() const;
  // Of random accesses to one array, the share that misses the shared cache.
  [[nodiscard]] double miss_share() const;
};

struct Traffic {
  std::int64_t necessary = 0;
  std::int64_t moved = 0;
  bool operator==(const Traffic&) const = default;
};

// Of forms that go through `reads` arrays and write one. Allocating: each line written is read
// first, because the core cannot know that all of it will be overwritten.
Traffic streaming(const Shape& shape, int reads, bool allocates);

Traffic copy_allocating(const Shape& shape);
Traffic copy_streaming(const Shape& shape);
Traffic triad_allocating(const Shape& shape);
Traffic triad_streaming(const Shape& shape);
Traffic in_place(const Shape& shape);
Traffic read_once(const Shape& shape);

// One side of a transpose goes down columns, and of each of its lines one element is used before
// it is gone: written so, a line is fetched and written back for each element.
Traffic columns_written(const Shape& shape);
Traffic columns_read(const Shape& shape);
// Both sides down columns, as a stencil does that takes them first.
Traffic columns_both(const Shape& shape);

// An index is read beside; in order, or each access to a line of its own.
Traffic indexed_in_order(const Shape& shape);
Traffic gathered(const Shape& shape);
Traffic scattered(const Shape& shape);

// Rows normalised by passes over the whole matrix: the mean, the deviation, the result.
Traffic normalised_in_three(const Shape& shape);
Traffic normalised_in_two(const Shape& shape);

}  // namespace tacho::bandwidth
