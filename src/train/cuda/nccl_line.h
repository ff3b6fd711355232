#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>

#include <memory>
#include <optional>

#include "comm/rollcall.h"
#include "train/cuda/nccl.h"
#include "train/dist/bucket_line.h"
#include "train/dist/exchange.h"

namespace tacho {

// Gradients on a GPU, averaged by NCCL on a stream of its own, also within a captured step. What
// the exchange took is not known on the host; only its bytes are reported.
class NcclLine final : public BucketLine {
 public:
  static Result<std::unique_ptr<NcclLine>> connect(int rank, int ranks, Rollcall& rollcall);

  [[nodiscard]] bool works_in_place() const override { return true; }
  Result<at::Tensor> allocate(std::int64_t /*count*/) override {
    return Error{ErrorCode::failed, "gradients on a GPU stay where they are"};
  }
  void send(std::size_t bucket, std::vector<at::Tensor> values) override;
  Result<ExchangeTimes> finish() override;
  // A rank that is gone would be waited for until the communicator's end.
  bool stop_within(std::chrono::milliseconds /*time*/) override {
    nccl_->abort();
    return true;
  }

  // For what lies in the CPU's memory, by way of the GPU.
  std::unique_ptr<Exchange> exchange();

 private:
  NcclLine(std::shared_ptr<Nccl> nccl, int ranks);
  void join(const at::cuda::CUDAStream& first, const at::cuda::CUDAStream& then);

  std::shared_ptr<Nccl> nccl_;  // shared with exchange()
  int ranks_;
  at::cuda::CUDAStream stream_;
  at::cuda::CUDAEvent reached_;
  std::vector<at::Tensor> under_way_;  // kept until the compute stream waits for them
  std::optional<Error> error_;
  ExchangeTimes sent_;
};

}  // namespace tacho
