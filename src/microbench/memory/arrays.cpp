#include "microbench/memory/arrays.h"

#include <algorithm>
#include <bit>

namespace tacho::bandwidth {
namespace {

constexpr std::uint32_t kPageElements = 1024;

std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x21f0aaadU;
  x ^= x >> 15;
  x *= 0xd35a2d97U;
  return x ^ (x >> 15);
}

float eighth(std::uint32_t random) {
  constexpr std::uint32_t kValues = 17;
  return static_cast<float>(static_cast<int>(random % kValues) - 8) / 8;
}

struct Range {
  std::int64_t from;
  std::int64_t to;
};

// Returns a thread's share of `count`, a multiple of `grain` except for the last thread.
Range share_of(std::int64_t count, int thread, int threads, std::int64_t grain) {
  const std::int64_t each = (count / threads + grain - 1) / grain * grain;
  return {std::min(count, thread * each),
          thread + 1 == threads ? count : std::min(count, (thread + 1) * each)};
}

}  // namespace

float value_of_a(std::int64_t i) { return eighth(mixed(static_cast<std::uint32_t>(i) + 1)); }
float value_of_b(std::int64_t i) {
  return eighth(mixed(static_cast<std::uint32_t>(i) ^ 0x5bd1e995U));
}

// Applies invertible steps on as many bits as `count` needs, and repeats them for results out of
// range.
std::uint32_t shuffled(std::uint32_t i, std::uint32_t count) {
  if (count <= 1) return 0;
  const int bits = std::bit_width(count - 1);
  const std::uint32_t mask = bits == 32 ? ~0U : (1U << bits) - 1;
  const int half = std::max(1, bits / 2);
  do {
    for (const std::uint32_t factor : {0x9E3779B1U, 0x85EBCA77U, 0xC2B2AE3DU}) {
      i = (i * factor) & mask;
      i ^= i >> half;
    }
  } while (i >= count);
  return i;
}

std::int64_t columns_of(Operation operation) {
  return operation == Operation::normalise ? 1024 : works_on_rows(operation) ? 8192 : 1;
}

Result<Arrays> Arrays::make(std::int64_t elements, PageKind pages, Team& team) {
  const Bytes size{elements * kElement};
  TACHO_TRY(a, Pages::take(size, pages));
  TACHO_TRY(b, Pages::take(size, pages));
  TACHO_TRY(c, Pages::take(size, pages));
  TACHO_TRY(index, Pages::take(size, pages));
  // Two numbers for each row that is normalised.
  TACHO_TRY(spare, Pages::take(Bytes{size.count / 256 + kLine}, pages));
  Arrays arrays(elements, std::move(a), std::move(b), std::move(c), std::move(index),
                std::move(spare));
  team.run([&](int thread) {
    const auto [from, to] = share_of(elements, thread, team.threads(), kPageElements);
    for (std::int64_t i = from; i < to; ++i) {
      arrays.a_.as<float>()[i] = value_of_a(i);
      arrays.b_.as<float>()[i] = value_of_b(i);
      arrays.c_.as<float>()[i] = 0;
      arrays.index_.as<std::uint32_t>()[i] = 0;
    }
  });
  return arrays;
}

void Arrays::put_in_order(Order order, Team& team) {
  if (order == order_ || order == Order::none) return;
  order_ = order;
  auto* index = index_.as<std::uint32_t>();
  const auto count = static_cast<std::uint32_t>(elements_);
  team.run([&](int thread) {
    const auto [from, to] = share_of(elements_, thread, team.threads(), kPageElements);
    for (std::int64_t at = from; at < to; ++at) {
      const auto i = static_cast<std::uint32_t>(at);
      const std::uint32_t page = i / kPageElements * kPageElements;
      index[at] = order == Order::ascending ? i
                  : order == Order::random
                      ? shuffled(i, count)
                      : page + shuffled(i - page, std::min(kPageElements, count - page));
    }
  });
}

std::vector<Part> Arrays::parts(const Form& form, std::int64_t elements, int threads) const {
  const bool by_rows = works_on_rows(form.operation);
  const std::int64_t columns = columns_of(form.operation);
  const std::int64_t rows = by_rows ? elements / columns : 1;
  std::vector<Part> parts;
  for (int thread = 0; thread < threads; ++thread) {
    const Range range = share_of(by_rows ? rows : elements, thread, threads, kLineElements);
    parts.push_back({.a = a_.as<float>(),
                     .b = b_.as<float>(),
                     .c = c_.as<float>(),
                     .index = index_.as<std::uint32_t>(),
                     .from = range.from,
                     .to = range.to,
                     .rows = rows,
                     .columns = columns,
                     .stride = form.set.stride,
                     .ahead = form.set.ahead,
                     .spare = spare_.as<float>()});
  }
  return parts;
}

}  // namespace tacho::bandwidth
