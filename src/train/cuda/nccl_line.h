#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>

#include <map>
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
  // `captured`: in a CUDA graph it costs nothing to name every gradient to NCCL. Without one each
  // name costs the host some ten microseconds, which a step of many small layers waits for: a
  // bucket's gradients are then gathered in one block, and live there from then on.
  struct Options {
    int rank = 0;
    int ranks = 1;
    bool captured = true;
  };
  static Result<std::unique_ptr<NcclLine>> connect(const Options& options, Rollcall& rollcall);

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
  NcclLine(std::shared_ptr<Nccl> nccl, const Options& options);
  Result<void> average(std::size_t bucket, const std::vector<at::Tensor>& values);
  void join(const at::cuda::CUDAStream& first, const at::cuda::CUDAStream& then);

  std::shared_ptr<Nccl> nccl_;  // shared with exchange()
  Options options_;
  at::cuda::CUDAStream stream_;
  at::cuda::CUDAEvent reached_;
  struct Block {
    at::Tensor values;
    std::vector<at::Tensor> places;  // one for each gradient, shaped as it is
  };
  std::map<std::size_t, Block> blocks_;  // by bucket
  std::vector<c10::Storage> under_way_;  // kept until the compute stream waits for them
  std::optional<Error> error_;
  ExchangeTimes sent_;
};

}  // namespace tacho
