#pragma once

#include <cstddef>
#include <cstdint>

namespace tacho {

// The used part of CUPTI as function pointers: the library is found in the traced process at run
// time, and tests substitute their own functions. CUPTI's headers are not needed to compile.

using CuptiResult = int;
inline constexpr CuptiResult kCuptiSuccess = 0;
inline constexpr CuptiResult kCuptiNotCompatible = 14;
inline constexpr CuptiResult kCuptiInsufficientPrivileges = 35;
inline constexpr CuptiResult kCuptiOldProfilerActive = 36;
inline constexpr CuptiResult kCuptiMultipleSubscribers = 39;
inline constexpr CuptiResult kCuptiVirtualDeviceInsufficientPrivileges = 40;

enum class ActivityKind : std::uint32_t {
  copy = 1,
  set = 2,
  kernel = 3,
  driver_call = 4,
  runtime_call = 5,
  concurrent_kernel = 10,
  marker = 12,
  peer_copy = 22,
};

enum class CallDomain : std::uint32_t { driver = 1, runtime = 2 };

inline constexpr std::uint32_t kFlushComplete = 0;
inline constexpr std::uint32_t kFlushForced = 1;
inline constexpr std::uint32_t kSystemThreadIds = 1;
inline constexpr std::uint32_t kAttributeZeroedBuffers = 5;

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
using CompleteBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t size, std::size_t valid_size);

struct CuptiApi {
  CuptiResult (*get_version)(std::uint32_t* version) = nullptr;
  CuptiResult (*get_timestamp)(std::uint64_t* timestamp) = nullptr;
  CuptiResult (*register_callbacks)(RequestBuffer request, CompleteBuffer complete) = nullptr;
  CuptiResult (*enable)(std::uint32_t kind) = nullptr;
  CuptiResult (*disable)(std::uint32_t kind) = nullptr;
  CuptiResult (*next_record)(std::uint8_t* buffer, std::size_t valid_size, void** record) = nullptr;
  CuptiResult (*dropped_records)(void* context, std::uint32_t stream,
                                 std::size_t* dropped) = nullptr;
  CuptiResult (*flush_all)(std::uint32_t flag) = nullptr;
  CuptiResult (*callback_name)(std::uint32_t domain, std::uint32_t callback,
                               const char** name) = nullptr;
  CuptiResult (*result_text)(CuptiResult result, const char** text) = nullptr;
  // Null in releases without them.
  CuptiResult (*set_attribute)(std::uint32_t attribute, std::size_t* size, void* value) = nullptr;
  CuptiResult (*set_thread_id_type)(std::uint32_t type) = nullptr;
  CuptiResult (*enable_runtime_call)(std::uint32_t callback, std::uint8_t enable) = nullptr;
  CuptiResult (*enable_driver_call)(std::uint32_t callback, std::uint8_t enable) = nullptr;
  CuptiResult (*flush_period)(std::uint32_t milliseconds) = nullptr;
  int (*initialize_nvtx)(void* get_export_table) = nullptr;
};

}  // namespace tacho
