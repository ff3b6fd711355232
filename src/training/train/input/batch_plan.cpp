#include "training/train/input/batch_plan.h"

#include <algorithm>
#include <numeric>

namespace tacho {
namespace {

// Enough to reduce padding, few enough that batches stay random.
constexpr std::int64_t kPoolBatches = 32;

BatchPlan::Indices counted(std::int64_t samples) {
  BatchPlan::Indices order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return order;
}

void sort_by_length(std::span<const std::int64_t> lengths, std::span<std::int64_t> part) {
  std::stable_sort(part.begin(), part.end(), [lengths](std::int64_t a, std::int64_t b) {
    return lengths[static_cast<std::size_t>(a)] < lengths[static_cast<std::size_t>(b)];
  });
}

}  // namespace

BatchPlan::BatchPlan(Indices order, std::int64_t batch) : order_(std::move(order)), batch_(batch) {
  const auto samples = static_cast<std::int64_t>(order_.size());
  for (std::int64_t at = 0; at < samples; at += batch_) begins_.push_back(at);
}

std::span<const std::int64_t> BatchPlan::samples_of(std::int64_t batch) const {
  const auto begin = static_cast<std::size_t>(begins_[static_cast<std::size_t>(batch)]);
  const std::size_t count = std::min(static_cast<std::size_t>(batch_), order_.size() - begin);
  return std::span(order_).subspan(begin, count);
}

BatchPlan::Part BatchPlan::part_of(std::int64_t batch, const Share& share) const {
  const auto all = samples_of(batch);
  const auto count = static_cast<std::int64_t>(all.size());
  const std::int64_t from = count * share.rank / share.size;
  const std::int64_t to = count * (share.rank + 1) / share.size;
  if (from == to) return {all.first(1), 0};
  return {all.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)),
          static_cast<double>((to - from) * share.size) / static_cast<double>(count)};
}

BatchPlan BatchPlan::in_order(std::int64_t samples, std::int64_t batch) {
  return {counted(samples), batch};
}

BatchPlan BatchPlan::shuffled(std::int64_t samples, std::int64_t batch, Random& random) {
  Indices order = counted(samples);
  random.shuffle(order);
  return {std::move(order), batch};
}

BatchPlan BatchPlan::by_length(std::span<const std::int64_t> lengths, std::int64_t batch) {
  Indices order = counted(static_cast<std::int64_t>(lengths.size()));
  sort_by_length(lengths, order);
  return {std::move(order), batch};
}

BatchPlan BatchPlan::shuffled_by_length(std::span<const std::int64_t> lengths, std::int64_t batch,
                                        Random& random) {
  Indices order = counted(static_cast<std::int64_t>(lengths.size()));
  random.shuffle(order);
  const auto pool = static_cast<std::size_t>(kPoolBatches * batch);
  for (std::size_t at = 0; at < order.size(); at += pool) {
    sort_by_length(lengths, std::span(order).subspan(at, std::min(pool, order.size() - at)));
  }
  BatchPlan plan(std::move(order), batch);
  random.shuffle(plan.begins_);
  return plan;
}

}  // namespace tacho
