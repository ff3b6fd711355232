#include "machine/probe/nvml_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tacho {
namespace {

struct Reason {
  unsigned long long bit;
  const char* words;
};
// Without "idle", which also lowers the clocks but is harmless.
constexpr std::array kReasons = {Reason{0x02, "application clocks"},
                                 Reason{0x04, "power cap"},
                                 Reason{0x08, "hardware slowdown"},
                                 Reason{0x10, "sync boost"},
                                 Reason{0x20, "thermal"},
                                 Reason{0x40, "thermal (hardware)"},
                                 Reason{0x80, "power brake"},
                                 Reason{0x100, "display clocks"}};

std::string error_text(const NvmlApi& api, int code) {
  const char* text = api.error_string != nullptr ? api.error_string(code) : nullptr;
  return text != nullptr ? std::string(text) : fmt::format("error {}", code);
}

}  // namespace

NvmlProbe::NvmlProbe(NvmlApi api) : api_(std::move(api)) {
  session_ = std::shared_ptr<void>(nullptr, [api = api_](void*) { api.shutdown(); });
}

Result<NvmlProbe> NvmlProbe::open(NvmlApi api) {
  if (const int code = api.init(); code != 0) {
    return Error{ErrorCode::unavailable, fmt::format("NVML: {}", error_text(api, code))};
  }
  NvmlProbe probe(std::move(api));
  unsigned count = 0;
  if (const int code = probe.api_.device_count(&count); code != 0) {
    return Error{ErrorCode::unavailable, fmt::format("NVML: {}", error_text(probe.api_, code))};
  }
  if (count == 0) return Error{ErrorCode::unavailable, "NVML found no GPU"};
  for (unsigned index = 0; index < count; ++index) {
    Device device;
    probe.succeeded(probe.api_.device_handle(index, &device.handle), "handle");
    std::array<char, 96> name{};
    unsigned mhz = 0;
    if (device.handle != nullptr) {
      probe.ask("name", probe.api_.device_name, device.handle, name.data(),
                static_cast<unsigned>(name.size() - 1));
      if (probe.ask("sm_max_mhz", probe.api_.max_clock_info, device.handle, NvmlApi::clock_sm,
                    &mhz)) {
        device.sm_max_mhz = mhz;
      }
    }
    probe.devices_.push_back(device);
    probe.names_.emplace_back(name.data());
  }
  return probe;
}

bool NvmlProbe::succeeded(int code, const char* field) {
  if (code != 0) unavailable_[fmt::format("gpu {}", field)] = "NVML: " + error_text(api_, code);
  return code == 0;
}

template <class Function, class... Arguments>
bool NvmlProbe::ask(const char* field, Function function, Arguments... arguments) {
  if (function != nullptr) return succeeded(function(arguments...), field);
  unavailable_[fmt::format("gpu {}", field)] = "NVML: not supported by this driver";
  return false;
}

GpuSample NvmlProbe::look_at(std::size_t index) {
  Device& device = devices_[index];
  GpuSample sample;
  sample.index = static_cast<std::int64_t>(index);
  sample.name = names_[index];
  sample.sm_max_mhz = device.sm_max_mhz;
  if (device.handle == nullptr) return sample;
  NvmlApi::Device gpu = device.handle;

  if (NvmlApi::Utilization busy{}; ask("memory_busy", api_.utilization, gpu, &busy)) {
    sample.memory_busy = busy.memory / 100.0;
  }
  sample.busy = ask_busy(device);
  if (NvmlApi::Memory memory{}; ask("memory_bytes", api_.memory_info, gpu, &memory)) {
    sample.memory_bytes = static_cast<std::int64_t>(memory.used);
    sample.memory_total_bytes = static_cast<std::int64_t>(memory.total);
  }
  if (unsigned milliwatts = 0; ask("watts", api_.power_usage, gpu, &milliwatts)) {
    sample.watts = milliwatts / 1000.0;
  }
  if (unsigned long long mj = 0; ask("joules", api_.total_energy, gpu, &mj)) {
    sample.joules = static_cast<double>(mj) / 1000;
  }
  unsigned mhz = 0;
  if (ask("sm_mhz", api_.clock_info, gpu, NvmlApi::clock_sm, &mhz)) sample.sm_mhz = mhz;
  if (ask("memory_mhz", api_.clock_info, gpu, NvmlApi::clock_memory, &mhz)) sample.memory_mhz = mhz;
  constexpr int kChipSensor = 0;
  if (unsigned celsius = 0; ask("celsius", api_.temperature, gpu, kChipSensor, &celsius)) {
    sample.celsius = celsius;
  }
  if (unsigned long long bits = 0; ask("throttled_by", api_.clocks_event_reasons, gpu, &bits)) {
    for (const Reason& reason : kReasons) {
      if ((bits & reason.bit) != 0) sample.throttled_by.emplace_back(reason.words);
    }
  }
  sample.pcie_rx_bytes_per_s = device.received_per_s;
  sample.pcie_tx_bytes_per_s = device.sent_per_s;
  return sample;
}

// nvmlDeviceGetUtilizationRates only knows the last period, of up to a second: a run that is
// shorter appears idle. The driver's buffer has every period since the previous look.
std::optional<double> NvmlProbe::ask_busy(Device& device) {
  constexpr int kNone = 6;  // NVML_ERROR_NOT_FOUND: no sample since then
  const bool first = !std::exchange(device.was_sampled, true);
  int type = 0;
  unsigned count = 0;
  if (!ask("busy", api_.samples, device.handle, NvmlApi::sample_busy, 0ULL, &type, &count,
           static_cast<NvmlApi::Sample*>(nullptr))) {
    return std::nullopt;
  }
  std::vector<NvmlApi::Sample> samples(count);
  const int code = api_.samples(device.handle, NvmlApi::sample_busy, device.busy_until, &type,
                                &count, samples.data());
  if (code == kNone || !succeeded(code, "busy") || type != NvmlApi::unsigned_value) {
    return std::nullopt;
  }
  samples.resize(std::min<std::size_t>(count, samples.size()));
  const unsigned long long since = device.busy_until;
  double sum = 0;
  int fresh = 0;
  for (const NvmlApi::Sample& sample : samples) {
    if (sample.microseconds <= since) continue;
    device.busy_until = std::max(device.busy_until, sample.microseconds);
    sum += sample.value / 100.0;
    ++fresh;
  }
  // The first result is about the time before this probe.
  if (first || fresh == 0) return std::nullopt;
  return sum / fresh;
}

// The driver blocks for 20 ms while it counts: one call per sample, and a round over all GPUs every
// 10 s.
void NvmlProbe::ask_pcie(Clock::time_point now) {
  constexpr std::chrono::seconds kRound{10};
  if (next_pcie_ == 2 * devices_.size()) {
    if (now - pcie_round_ < kRound) return;
    next_pcie_ = 0;
  }
  if (next_pcie_ == 0) pcie_round_ = now;
  Device& device = devices_[next_pcie_ / 2];
  const bool received = next_pcie_ % 2 == 0;
  ++next_pcie_;
  if (device.handle == nullptr || unavailable_.contains("gpu pcie")) return;
  unsigned kilobytes = 0;
  if (!ask("pcie", api_.pcie_throughput, device.handle,
           received ? NvmlApi::pcie_received : NvmlApi::pcie_sent, &kilobytes)) {
    return;
  }
  (received ? device.received_per_s : device.sent_per_s) = 1000.0 * kilobytes;
}

// Does not count idle processes that only use memory.
std::optional<std::int64_t> NvmlProbe::ask_others(Device& device, const IsOther& is_other) {
  if (!is_other || device.handle == nullptr || api_.process_utilization == nullptr) {
    return std::nullopt;
  }
  constexpr int kNone = 6;      // NVML_ERROR_NOT_FOUND: no process used it
  constexpr int kTooSmall = 7;  // NVML_ERROR_INSUFFICIENT_SIZE: `count` is the size needed
  std::vector<NvmlApi::ProcessUse> uses(128);
  auto count = static_cast<unsigned>(uses.size());
  const auto ask = [&] {
    return api_.process_utilization(device.handle, uses.data(), &count, device.processes_until);
  };
  int code = ask();
  if (code == kTooSmall && count > uses.size()) {
    uses.resize(count);
    code = ask();
  }
  if (code == kNone) return 0;
  if (!succeeded(code, "other_processes")) return std::nullopt;
  uses.resize(std::min<std::size_t>(count, uses.size()));
  const bool first = device.processes_until == 0;
  std::set<unsigned> others;
  for (const NvmlApi::ProcessUse& use : uses) {
    device.processes_until = std::max(device.processes_until, use.microseconds);
    if (use.sm > 0 && is_other(use.pid)) others.insert(use.pid);
  }
  // The first result is about the time before this probe.
  if (first) return std::nullopt;
  return static_cast<std::int64_t>(others.size());
}

std::vector<GpuSample> NvmlProbe::look(Clock::time_point now, const IsOther& is_other) {
  ask_pcie(now);
  std::vector<GpuSample> samples;
  samples.reserve(devices_.size());
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    samples.push_back(look_at(i));
    samples.back().other_processes = ask_others(devices_[i], is_other);
  }
  return samples;
}

}  // namespace tacho
