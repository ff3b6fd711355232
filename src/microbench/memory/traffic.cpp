#include "microbench/memory/traffic.h"

#include <algorithm>

namespace tacho::bandwidth {
namespace {

std::int64_t array_bytes(const Shape& shape) { return shape.elements * kElement; }

// Returns the bytes of the accesses that miss, one line each.
std::int64_t missed(const Shape& shape, std::int64_t accesses) {
  return static_cast<std::int64_t>(shape.miss_share() * static_cast<double>(accesses * kLine));
}

}  // namespace

std::int64_t Shape::lines() const {
  if (stride >= kLineElements) return touched();
  return (elements + kLineElements - 1) / kLineElements;
}

double Shape::miss_share() const {
  const double bytes = static_cast<double>(elements * kElement);
  return bytes <= 0 ? 0 : std::max(0.0, 1 - static_cast<double>(shared_cache_bytes) / bytes);
}

Traffic streaming(const Shape& shape, int reads, bool allocates) {
  const bool fetched = allocates && !shape.resident;
  return {(reads + 1) * shape.touched() * kElement,
          (reads + 1 + (fetched ? 1 : 0)) * shape.lines() * kLine};
}

Traffic copy_allocating(const Shape& shape) { return streaming(shape, 1, true); }
Traffic copy_streaming(const Shape& shape) { return streaming(shape, 1, false); }
Traffic triad_allocating(const Shape& shape) { return streaming(shape, 2, true); }
Traffic triad_streaming(const Shape& shape) { return streaming(shape, 2, false); }

// The overwritten lines were read anyway.
Traffic in_place(const Shape& shape) { return streaming(shape, 1, false); }

Traffic read_once(const Shape& shape) {
  return {shape.touched() * kElement, shape.lines() * kLine};
}

Traffic columns_written(const Shape& shape) {
  return {2 * array_bytes(shape), array_bytes(shape) + 2 * shape.elements * kLine};
}

Traffic columns_read(const Shape& shape) {
  return {2 * array_bytes(shape), shape.elements * kLine + 2 * array_bytes(shape)};
}

Traffic columns_both(const Shape& shape) {
  return {2 * array_bytes(shape), 3 * shape.elements * kLine};
}

Traffic indexed_in_order(const Shape& shape) { return streaming(shape, 2, true); }

Traffic gathered(const Shape& shape) {
  return {3 * array_bytes(shape), 3 * array_bytes(shape) + missed(shape, shape.elements)};
}

Traffic scattered(const Shape& shape) {
  return {3 * array_bytes(shape), 2 * array_bytes(shape) + 2 * missed(shape, shape.elements)};
}

Traffic normalised_in_three(const Shape& shape) {
  return {2 * array_bytes(shape), 5 * array_bytes(shape)};
}

Traffic normalised_in_two(const Shape& shape) {
  return {2 * array_bytes(shape), 4 * array_bytes(shape)};
}

}  // namespace tacho::bandwidth
