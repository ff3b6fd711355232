#include "microbench/comms/carrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace tacho {
namespace {

using bandwidth::Collective;
using Message = std::vector<std::byte>;

constexpr std::int64_t kNumber = sizeof(float);

// Integers this small have an exact sum in any order.
float number_of(std::size_t at, int rank) {
  return static_cast<float>((7 * at + 13 * static_cast<std::size_t>(rank)) % 1024);
}
std::byte byte_of(std::size_t at, int rank) {
  return static_cast<std::byte>((7 * at + 13 * static_cast<std::size_t>(rank) + 1) % 251);
}

std::span<float> numbers_in(Message& message) {
  return {reinterpret_cast<float*>(message.data()), message.size() / sizeof(float)};
}

Message input_of(Collective collective, std::int64_t bytes, int rank, int ranks) {
  Message mine(static_cast<std::size_t>(own_bytes(collective, bytes, ranks)));
  if (collective == Collective::all_reduce) {
    const auto numbers = numbers_in(mine);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number_of(i, rank);
  } else {
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = byte_of(i, rank);
  }
  return mine;
}

Message expected(Collective collective, std::int64_t bytes, int ranks) {
  Message all(static_cast<std::size_t>(bytes));
  if (collective == Collective::all_reduce) {
    const auto numbers = numbers_in(all);
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += number_of(i, rank);
    }
    return all;
  }
  const int sources = collective == Collective::broadcast ? 1 : ranks;
  const std::size_t part = all.size() / static_cast<std::size_t>(sources);
  for (int rank = 0; rank < sources; ++rank) {
    const std::size_t from = static_cast<std::size_t>(rank) * part;
    for (std::size_t i = 0; i < part; ++i) all[from + i] = byte_of(i, rank);
  }
  return all;
}

}  // namespace

std::int64_t whole_bytes(Collective collective, std::int64_t bytes, int ranks) {
  if (collective == Collective::all_gather) return ranks * std::max<std::int64_t>(1, bytes / ranks);
  return kNumber * std::max<std::int64_t>(1, bytes / kNumber);
}

std::int64_t own_bytes(Collective collective, std::int64_t bytes, int ranks) {
  return collective == Collective::all_gather ? bytes / ranks : bytes;
}

Result<void> verify(Carrier& carrier, Collective collective, std::int64_t bytes, int rank,
                    int ranks) {
  Message mine = input_of(collective, bytes, rank, ranks);
  TACHO_CHECK(carrier.put(mine));
  TACHO_CHECK(carrier.call());
  Message all(static_cast<std::size_t>(bytes));
  TACHO_CHECK(carrier.take(all));
  const Message right = expected(collective, bytes, ranks);
  if (const auto wrong = std::ranges::mismatch(all, right); wrong.in1 != all.end()) {
    return Error{ErrorCode::failed,
                 fmt::format("{} of {}: the result of rank {} is wrong from byte {}",
                             bandwidth::kCollectives.of(collective), human(Bytes{bytes}), rank,
                             wrong.in1 - all.begin())};
  }
  std::ranges::fill(mine, std::byte{0});
  return carrier.put(mine);
}

}  // namespace tacho
