#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>

#include <map>
#include <memory>
#include <optional>

#include "machine/comm/rendezvous.h"
#include "training/train/cuda/nccl.h"
#include "training/train/dist/bucket_line.h"
#include "training/train/dist/exchange.h"

namespace tacho {

// Averages gradients on a GPU with NCCL on a separate stream, also within a captured step. The
// duration of the exchange is unknown on the host; only its bytes are reported.
class NcclLine final : public BucketLine {
 public:
  // `captured`: in a CUDA graph, passing every gradient to NCCL separately costs nothing. Without
  // one each call costs the host about ten microseconds, which a step of many small layers waits
  // for: a bucket's gradients are then collected in one block, where they stay.
  struct Options {
    int rank = 0;
    int ranks = 1;
    bool captured = true;
  };
  static Result<std::unique_ptr<NcclLine>> connect(const Options& options, Rendezvous& rendezvous);

  [[nodiscard]] bool works_in_place() const override { return true; }
  Result<at::Tensor> allocate(std::int64_t /*count*/) override {
    return Error{ErrorCode::failed, "gradients on a GPU stay where they are"};
  }
  void send(std::size_t bucket, std::vector<at::Tensor> values) override;
  Result<ExchangeTimes> finish() override;
  // NCCL would wait for a lost rank until the communicator is aborted.
  bool stop_within(std::chrono::milliseconds /*time*/) override {
    nccl_->abort();
    return true;
  }

  // For tensors in CPU memory, through the GPU.
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
    std::vector<at::Tensor> places;  // one per gradient, with its shape
  };
  std::map<std::size_t, Block> blocks_;  // by bucket
  std::vector<c10::Storage> in_flight_;  // kept until the compute stream waits for them
  std::optional<Error> error_;
  ExchangeTimes sent_;
};

}  // namespace tacho
