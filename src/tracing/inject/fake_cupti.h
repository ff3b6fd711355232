#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tracing/inject/cupti_api.h"

namespace tacho {

// A record in CUPTI's layout, byte by byte. Its offsets were copied from CUPTI's header,
// independently of activity_layout.h.
class RawRecord {
 public:
  RawRecord(std::size_t size, std::uint32_t kind) : bytes_(size, '\0') { put(0, kind); }

  template <class T>
  RawRecord& put(std::size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// The sizes that differ between releases.
struct CuptiRelease {
  std::uint32_t version;
  std::size_t kernel_size;
  std::size_t copy_size;
};
inline constexpr CuptiRelease kCuda12_0{19, 208, 88};
inline constexpr CuptiRelease kCuda12_9{27, 208, 96};
inline constexpr CuptiRelease kCuda13_0{130001, 216, 96};

inline RawRecord raw_kernel(const CuptiRelease& release, const char* name, std::uint64_t start,
                            std::uint64_t end, std::uint32_t correlation) {
  return RawRecord(release.kernel_size, 10)
      .put(6, std::uint16_t{40})
      .put(16, start)
      .put(24, end)
      .put(32, std::uint64_t{0xCCCC})  // completed
      .put(40, std::uint32_t{1})       // device
      .put(44, std::uint32_t{2})       // context
      .put(48, std::uint32_t{7})       // stream
      .put(52, std::int32_t{100})
      .put(56, std::int32_t{20})
      .put(60, std::int32_t{3})
      .put(64, std::int32_t{32})
      .put(68, std::int32_t{8})
      .put(72, std::int32_t{1})
      .put(76, std::int32_t{1024})
      .put(80, std::int32_t{2048})
      .put(84, std::uint32_t{0xDDDD})  // local memory
      .put(88, std::uint32_t{0xEEEE})
      .put(92, correlation)
      .put(96, std::int64_t{123})  // grid id
      .put(104, name)
      .put(144, std::uint64_t{0x5'0000'0001});
}

inline RawRecord raw_copy(const CuptiRelease& release, std::uint8_t kind, std::uint64_t bytes) {
  return RawRecord(release.copy_size, 1)
      .put(4, kind)
      .put(5, std::uint8_t{1})  // from pageable memory
      .put(6, std::uint8_t{3})  // to the device
      .put(8, bytes)
      .put(16, std::uint64_t{500})
      .put(24, std::uint64_t{900})
      .put(32, std::uint32_t{1})
      .put(36, std::uint32_t{2})
      .put(40, std::uint32_t{13})
      .put(44, std::uint32_t{77})
      .put(64, std::uint64_t{8});
}

inline RawRecord raw_call(std::uint32_t kind, std::uint32_t callback, std::uint32_t correlation) {
  return RawRecord(40, kind)
      .put(4, callback)
      .put(8, std::uint64_t{100})
      .put(16, std::uint64_t{300})
      .put(24, std::uint32_t{4711})
      .put(28, std::uint32_t{4712})
      .put(32, correlation);
}

// Simulates CUPTI with a list of records. CUPTI's functions have no context argument, so there is
// one instance per process, which each test resets.
class FakeCupti {
 public:
  static FakeCupti& get() {
    static FakeCupti fake;
    return fake;
  }

  void reset(const CuptiRelease& release) {
    *this = FakeCupti();
    release_ = release;
  }

  CuptiApi api() {
    CuptiApi api;
    api.get_version = [](std::uint32_t* version) {
      *version = get().release_.version;
      return kCuptiSuccess;
    };
    api.get_timestamp = [](std::uint64_t* timestamp) {
      *timestamp = 1000;
      return kCuptiSuccess;
    };
    api.register_callbacks = [](RequestBuffer request, CompleteBuffer complete) {
      get().request_ = request;
      get().complete_ = complete;
      return kCuptiSuccess;
    };
    api.enable = [](std::uint32_t kind) {
      get().enabled.push_back(kind);
      return get().answer_to_enable;
    };
    api.disable = [](std::uint32_t kind) {
      get().disabled.push_back(kind);
      return kCuptiSuccess;
    };
    api.next_record = next_record;
    api.dropped_records = [](void*, std::uint32_t, std::size_t* count) {
      const std::lock_guard lock(mutex_);
      *count = std::exchange(get().dropped_, 0);
      return kCuptiSuccess;
    };
    api.flush_all = [](std::uint32_t) {
      get().deliver();
      return kCuptiSuccess;
    };
    api.callback_name = [](std::uint32_t domain, std::uint32_t callback, const char** name) {
      const auto found = get().calls.find({domain, callback});
      if (found == get().calls.end()) return 1;
      *name = found->second;
      return kCuptiSuccess;
    };
    api.result_text = [](CuptiResult, const char** text) {
      *text = "CUPTI_ERROR_SOME";
      return kCuptiSuccess;
    };
    return api;
  }

  // Adds records for the next flush.
  void fill(const std::string& records) {
    const std::lock_guard lock(mutex_);
    pending_ += records;
  }
  void drop(std::size_t count) {
    const std::lock_guard lock(mutex_);
    dropped_ = count;
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, const char*> calls = {
      {{2, 13}, "cudaLaunchKernel_v7000"},     {{2, 17}, "cudaGetDevice_v3020"},
      {{2, 41}, "cudaMemcpyAsync_v3020"},      {{2, 131}, "cudaStreamSynchronize_v3020"},
      {{2, 147}, "cudaStreamWaitEvent_v3020"}, {{2, 165}, "cudaDeviceSynchronize_v3020"},
      {{1, 307}, "cuLaunchKernel_ptsz"}};
  std::vector<std::uint32_t> enabled;
  std::vector<std::uint32_t> disabled;
  CuptiResult answer_to_enable = kCuptiSuccess;

 private:
  static CuptiResult next_record(std::uint8_t* buffer, std::size_t valid, void** record) {
    std::uint8_t* next = buffer;
    if (*record != nullptr) {
      auto* at = static_cast<std::uint8_t*>(*record);
      next = at + get().size_of(at);
    }
    if (next >= buffer + valid) return 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED
    *record = next;
    return kCuptiSuccess;
  }

  [[nodiscard]] std::size_t size_of(const std::uint8_t* record) const {
    std::uint32_t kind = 0;
    std::memcpy(&kind, record, sizeof kind);
    switch (kind) {
      case 1:
        return release_.copy_size;
      case 2:
        return 88;
      case 3:
      case 10:
        return release_.kernel_size;
      case 4:
      case 5:
        return 40;
      case 12:
        return 56;
      case 22:
        return 96;
      default:
        return 24;  // a kind that was not enabled
    }
  }

  void deliver() {
    const std::lock_guard lock(mutex_);
    if (pending_.empty() || request_ == nullptr) return;
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t most = 99;
    request_(&buffer, &size, &most);
    if (buffer == nullptr) return;
    const std::size_t valid = std::min(size, pending_.size());
    std::memcpy(buffer, pending_.data(), valid);
    pending_.clear();
    complete_(nullptr, 0, buffer, size, valid);
  }

  static inline std::mutex mutex_;  // because the tracer's thread flushes too
  CuptiRelease release_ = kCuda13_0;
  RequestBuffer request_ = nullptr;
  CompleteBuffer complete_ = nullptr;
  std::string pending_;
  std::size_t dropped_ = 0;
};

}  // namespace tacho
