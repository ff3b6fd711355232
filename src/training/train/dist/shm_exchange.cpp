#include "training/train/dist/shm_exchange.h"

namespace tacho {
namespace {

std::span<float> floats(at::Tensor& values) {
  return {values.data_ptr<float>(), static_cast<std::size_t>(values.numel())};
}

}  // namespace

Result<at::Tensor> ShmExchange::allocate(std::int64_t count) {
  TACHO_TRY(memory, group_->allocate(static_cast<std::size_t>(count)));
  return at::from_blob(memory.data(), {count}, at::kFloat);
}

Result<void> ShmExchange::sum(at::Tensor& values) {
  sent_ += ring_bytes(static_cast<std::int64_t>(values.nbytes()), group_->size());
  return group_->all_reduce(floats(values));
}

Result<void> ShmExchange::sum_at_first(at::Tensor& values) {
  if (group_->rank() != 0) sent_ += static_cast<std::int64_t>(values.nbytes());
  return group_->reduce(floats(values), 0);
}

Result<void> ShmExchange::broadcast(at::Tensor& values) {
  if (group_->rank() == 0) sent_ += static_cast<std::int64_t>(values.nbytes());
  return group_->broadcast({static_cast<std::byte*>(values.data_ptr()), values.nbytes()}, 0);
}

}  // namespace tacho
