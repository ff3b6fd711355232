#pragma once

#include <ATen/cuda/CUDAContext.h>

#include <memory>
#include <optional>

#include "comm/rollcall.h"
#include "train/cuda/nccl.h"
#include "train/dist/bucket_line.h"
#include "train/dist/exchange.h"

namespace tacho {

// Buckets on a GPU, averaged by NCCL on a stream of their own, also within a captured step. What
// the exchange took is not known on the host; only its bytes are reported.
class NcclLine final : public BucketLine {
 public:
  static Result<std::unique_ptr<NcclLine>> connect(int rank, int ranks, Rollcall& rollcall);

  Result<at::Tensor> allocate(std::int64_t count, const at::TensorOptions& like) override {
    return at::zeros({count}, like.requires_grad(false));
  }
  [[nodiscard]] bool averages() const override { return true; }
  void send(std::size_t bucket, const at::Tensor& values) override;
  Result<ExchangeTimes> finish() override;

  // For what lies in the CPU's memory, by way of the GPU.
  std::unique_ptr<Exchange> exchange();

 private:
  NcclLine(std::shared_ptr<Nccl> nccl, int ranks);

  std::shared_ptr<Nccl> nccl_;  // shared with exchange()
  int ranks_;
  at::cuda::CUDAStream stream_;
  std::optional<Error> error_;
  ExchangeTimes sent_;
};

}  // namespace tacho
