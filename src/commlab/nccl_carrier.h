#pragma once

#include <string>
#include <string_view>

#include "commlab/carrier.h"
#include "commlab/gpu_apis.h"

namespace tacho {

// Between GPUs, one of each rank's own. Messages lie in the GPU's memory.
class NcclCarrier final : public Carrier {
 public:
  struct Seat {
    int rank = 0;
    int ranks = 1;
    int gpu = 0;  // of this machine's
  };
  // `id`: of rank 0's make_id(). Collective.
  static Result<std::unique_ptr<NcclCarrier>> join(const GpuApis& apis, const Seat& seat,
                                                   std::string_view id);
  // In letters, for the control line.
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
  NcclCarrier(const GpuApis& apis, const Seat& seat) : apis_(apis), seat_(seat) {}
  Result<void> connect(std::string_view id);
  [[nodiscard]] Result<void> cuda(int status, const char* what) const;
  [[nodiscard]] Result<void> nccl(int status, const char* what) const;
  [[nodiscard]] Result<void> finish() const;
  Result<void> give_room(std::size_t bytes);
  [[nodiscard]] CudaApi::Address own_place() const;

  GpuApis apis_;
  Seat seat_;
  void* communicator_ = nullptr;
  void* stream_ = nullptr;
  CudaApi::Address memory_ = 0;  // a message, and behind it a number to meet by
  std::size_t room_ = 0;
  Collective collective_ = Collective::all_reduce;
  std::int64_t bytes_ = 0;
};

}  // namespace tacho
