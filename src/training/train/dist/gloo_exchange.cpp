#include "training/train/dist/gloo_exchange.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

std::int64_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

// Gloo does not support every type; these are only copied, so bytes suffice.
at::Tensor as_bytes(const at::Tensor& tensor) { return tensor.view(at::kByte); }

}  // namespace

Result<void> GlooExchange::sum(at::Tensor& values) {
  sent_ += ring_bytes(bytes_of(values), wire_->size());
  return wire_->all_reduce(values);
}

Result<void> GlooExchange::broadcast(at::Tensor& values) {
  if (wire_->rank() == 0) sent_ += bytes_of(values);
  at::Tensor bytes = as_bytes(values.view({-1}));
  return wire_->broadcast(bytes);
}

Result<void> GlooExchange::sum_gradients(at::Tensor& values, std::size_t bucket) {
  switch (options_.compress) {
    case Compression::none:
      return sum(values);
    case Compression::bf16:
      return sum_rounded(values, at::kBFloat16);
    case Compression::fp16:
      return sum_rounded(values, at::kHalf);
    case Compression::topk:
      return sum_largest(values, bucket);
  }
  return {};
}

Result<void> GlooExchange::sum_rounded(at::Tensor& values, at::ScalarType type) {
  const std::int64_t ranks = wire_->size();
  const std::int64_t part = (values.numel() + ranks - 1) / ranks;
  at::Tensor outgoing = at::zeros({ranks * part}, values.options().dtype(type));
  outgoing.narrow(0, 0, values.numel()).copy_(values);
  at::Tensor incoming = at::empty_like(outgoing);
  at::Tensor incoming_bytes = as_bytes(incoming);
  TACHO_CHECK(wire_->all_to_all(as_bytes(outgoing), incoming_bytes));
  // Added in fp32 in rank order, then rounded once.
  const at::Tensor mine = incoming.view({ranks, part}).to(at::kFloat).sum(0).to(type);
  at::Tensor outgoing_bytes = as_bytes(outgoing);
  TACHO_CHECK(wire_->all_gather(as_bytes(mine), outgoing_bytes));
  values.copy_(outgoing.narrow(0, 0, values.numel()));
  sent_ += 2 * (ranks - 1) * bytes_of(mine);
  return {};
}

Result<void> GlooExchange::sum_largest(at::Tensor& values, std::size_t bucket) {
  const std::int64_t ranks = wire_->size();
  at::Tensor& left_over = left_over_[bucket];
  if (left_over.defined()) values.add_(left_over);
  const auto count = std::clamp<std::int64_t>(
      std::llround(options_.topk_share * static_cast<double>(values.numel())), 1, values.numel());
  const at::Tensor places = std::get<1>(values.abs().topk(count, 0, true, false));
  const at::Tensor largest = values.index_select(0, places);
  left_over = values.clone();
  left_over.index_fill_(0, places, 0);

  // 32 bits for a position in any bucket, and 32 for its value.
  const at::Tensor message = at::cat({places.to(at::kInt).view(at::kByte), as_bytes(largest)});
  at::Tensor messages = at::empty({ranks * message.numel()}, message.options());
  TACHO_CHECK(wire_->all_gather(message, messages));
  values.zero_();
  for (const at::Tensor& from : messages.chunk(ranks)) {
    const auto halves = from.chunk(2);
    values.index_add_(0, halves[0].contiguous().view(at::kInt),
                      halves[1].contiguous().view(at::kFloat));
  }
  sent_ += (ranks - 1) * bytes_of(message);
  return {};
}

}  // namespace tacho
