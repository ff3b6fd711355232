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
#include "core/record/usage.h"
#include "machine/probe/nvml_api.h"

namespace tacho {

// Samples all GPUs of the machine, used by the run or not: NVML ignores CUDA_VISIBLE_DEVICES. One
// probe belongs to one thread.
class NvmlProbe {
 public:
  using Clock = std::chrono::steady_clock;
  using IsOther = std::function<bool(std::int64_t pid)>;

  // Returns ErrorCode::unavailable without a driver or a GPU.
  static Result<NvmlProbe> open(NvmlApi api);
  NvmlProbe(NvmlProbe&& other) noexcept = default;
  NvmlProbe& operator=(NvmlProbe&&) = delete;

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Counts the computing processes for which `is_other` returns true as other processes.
  std::vector<GpuSample> look(Clock::time_point now = Clock::now(),
                              const IsOther& is_other = nullptr);
  // Error messages of the driver, by field.
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
    unsigned long long busy_until = 0;       // likewise
    bool was_sampled = false;
  };
  explicit NvmlProbe(NvmlApi api);
  bool succeeded(int code, const char* field);
  template <class Function, class... Arguments>
  bool ask(const char* field, Function function, Arguments... arguments);
  GpuSample look_at(std::size_t index);
  std::optional<std::int64_t> ask_others(Device& device, const IsOther& is_other);
  void ask_pcie(Clock::time_point now);
  std::optional<double> ask_busy(Device& device);

  NvmlApi api_;
  std::shared_ptr<void> session_;  // shuts the library down; not shared
  std::vector<Device> devices_;
  std::vector<std::string> names_;
  std::size_t next_pcie_ = 0;
  Clock::time_point pcie_round_{};
  std::map<std::string, std::string> unavailable_;
};

}  // namespace tacho
