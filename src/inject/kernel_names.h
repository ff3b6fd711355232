#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tracefile/gpu_trace_encoder.h"

namespace tacho {

inline constexpr std::size_t kMaxName = 1000;

// At most `limit` bytes, and no half character of UTF-8 at the end.
std::string_view cut_text(std::string_view text, std::size_t limit);

// A kernel's name as its source has it, at most kMaxName bytes of it.
std::string demangled_kernel_name(const char* mangled);

// Each name is demangled once, when it is first seen.
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
