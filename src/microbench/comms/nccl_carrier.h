#pragma once

#include <string>
#include <string_view>

#include "microbench/comms/carrier.h"
#include "microbench/comms/gpu_apis.h"

namespace tacho {

// Runs collectives between GPUs with NCCL, one GPU per rank. Messages are in GPU memory.
class NcclCarrier final : public Carrier {
 public:
  struct Position {
    int rank = 0;
    int ranks = 1;
    int gpu = 0;  // index on this machine
  };
  // `id` is the result of make_id() on rank 0. Collective.
  static Result<std::unique_ptr<NcclCarrier>> join(const GpuApis& apis, const Position& position,
                                                   std::string_view id);
  // Returns the id in hexadecimal, for the control connection.
  static Result<std::string> make_id(const NcclApi& nccl);
  ~NcclCarrier() override;
  NcclCarrier(const NcclCarrier&) = delete;
  NcclCarrier& operator=(const NcclCarrier&) = delete;

  Result<void> open(Collective collective, std::int64_t bytes) override;
  Result<void> put(std::span<const std::byte> mine) override;
  Result<void> call() override;
  Result<void> take(std::span<std::byte> all) override;
  Result<void> meet() override;

 private:
  NcclCarrier(const GpuApis& apis, const Position& position) : apis_(apis), position_(position) {}
  Result<void> connect(std::string_view id);
  [[nodiscard]] Result<void> cuda(int status, const char* what) const;
  [[nodiscard]] Result<void> nccl(int status, const char* what) const;
  [[nodiscard]] Result<void> finish() const;
  Result<void> reserve(std::size_t bytes);
  [[nodiscard]] CudaApi::Address own_place() const;

  GpuApis apis_;
  Position position_;
  void* communicator_ = nullptr;
  void* stream_ = nullptr;
  CudaApi::Address memory_ = 0;  // the message, followed by a number for meet()
  std::size_t capacity_ = 0;     // bytes for the message
  Collective collective_ = Collective::all_reduce;
  std::int64_t bytes_ = 0;
};

}  // namespace tacho
