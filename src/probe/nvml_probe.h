#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "probe/nvml_api.h"
#include "record/usage.h"

namespace tacho {

// Samples all GPUs of the machine, used by the run or not: the library knows nothing of
// CUDA_VISIBLE_DEVICES. Belongs to one thread.
class NvmlProbe {
 public:
  using Clock = std::chrono::steady_clock;
  using IsOther = std::function<bool(std::int64_t pid)>;

  // ErrorCode::unavailable where there is no driver or no GPU.
  static Result<NvmlProbe> open(NvmlApi api);
  NvmlProbe(NvmlProbe&& other) noexcept = default;
  NvmlProbe& operator=(NvmlProbe&&) = delete;

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Processes that `is_other` picks are counted as others that compute.
  std::vector<GpuSample> look(Clock::time_point now = Clock::now(),
                              const IsOther& is_other = nullptr);
  // Fields that a driver refuses, by name, and what it says.
  [[nodiscard]] const std::map<std::string, std::string>& unavailable() const {
    return unavailable_;
  }

 private:
  struct Device {
    NvmlApi::Device handle = nullptr;
    double sm_max_mhz = 0;
    std::optional<double> received_per_s;
    std::optional<double> sent_per_s;
    unsigned long long processes_until = 0;  // microseconds of Unix time
  };
  explicit NvmlProbe(NvmlApi api);
  bool took(int answer, const char* field);
  template <class Function, class... Arguments>
  bool ask(const char* field, Function function, Arguments... arguments);
  GpuSample look_at(std::size_t index);
  std::optional<std::int64_t> ask_others(Device& device, const IsOther& is_other);
  void ask_pcie(Clock::time_point now);

  NvmlApi api_;
  std::shared_ptr<void> session_;  // shuts the library down; shared with nobody
  std::vector<Device> devices_;
  std::vector<std::string> names_;
  std::size_t next_pcie_ = 0;
  Clock::time_point pcie_round_{};
  std::map<std::string, std::string> unavailable_;
};

}  // namespace tacho
