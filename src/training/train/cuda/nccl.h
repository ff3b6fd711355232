#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/train/torch_api.h"

namespace tacho {

// Sums and copies between the GPUs of a job's ranks. Uses the NCCL that torch has loaded, found at
// run time: its headers are not part of torch.
class Nccl {
 public:
  static constexpr std::size_t kIdBytes = 128;
  using Id = std::array<char, kIdBytes>;  // created by rank 0; all ranks join with it

  static Result<Id> make_id();
  static Result<std::unique_ptr<Nccl>> join(const Id& id, int rank, int ranks);
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  // In place and asynchronous, on a stream that may be captured.
  Result<void> average(const std::vector<at::Tensor>& values, cudaStream_t stream);
  Result<void> sum(const at::Tensor& values, cudaStream_t stream);
  Result<void> broadcast(const at::Tensor& values, cudaStream_t stream);  // from rank 0

  // Ends operations that wait for a lost rank. Callable from any thread.
  void abort();

 private:
  struct Library;
  static Result<const Library*> library();
  Nccl(const Library& library, void* communicator, int ranks)
      : library_(library), communicator_(communicator), ranks_(ranks) {}
  [[nodiscard]] Result<void> checked(int status, const char* what) const;
  Result<void> reduce(const at::Tensor& values, int operation, cudaStream_t stream);

  const Library& library_;
  void* communicator_;
  int ranks_;
};

}  // namespace tacho
