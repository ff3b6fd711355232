#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tracing/tracefile/gpu_trace_encoder.h"

namespace tacho {

inline constexpr std::size_t kMaxName = 1000;

// Truncates to at most `limit` bytes, without splitting a UTF-8 character.
std::string_view cut_text(std::string_view text, std::size_t limit);

// Demangles a kernel's name and truncates it to kMaxName bytes.
std::string demangled_kernel_name(const char* mangled);

// Demangles each name once.
class KernelNames {
 public:
  explicit KernelNames(GpuTraceEncoder& encoder) : encoder_(encoder) {}
  std::uint32_t find(const char* mangled);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  GpuTraceEncoder& encoder_;
  // By content: a program may unload a module and load another at the same address.
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> known_;
};

}  // namespace tacho
