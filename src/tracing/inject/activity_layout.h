#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tacho {

// Offsets of the fields in CUPTI's activity records, the same in all releases from CUDA 12.0 to
// 13.0: the records have only grown at their end (CUpti_ActivityKernel9 to 10, Memcpy5 to 6).
// tests/gpu/layout_check.cpp compares the offsets with CUPTI's header; record_check.h detects a
// later release that moves them.

inline constexpr std::size_t kKindOffset = 0;

struct KernelLayout {
  static constexpr std::size_t registers = 6;
  static constexpr std::size_t start = 16;
  static constexpr std::size_t end = 24;
  static constexpr std::size_t device = 40;
  static constexpr std::size_t stream = 48;
  static constexpr std::size_t grid = 52;
  static constexpr std::size_t block = 64;
  static constexpr std::size_t static_shared = 76;
  static constexpr std::size_t dynamic_shared = 80;
  static constexpr std::size_t correlation = 92;
  static constexpr std::size_t name = 104;
  static constexpr std::size_t graph_node = 144;
};

struct CopyLayout {
  static constexpr std::size_t copy_kind = 4;
  static constexpr std::size_t source_kind = 5;
  static constexpr std::size_t target_kind = 6;
  static constexpr std::size_t bytes = 8;
  static constexpr std::size_t start = 16;
  static constexpr std::size_t end = 24;
  static constexpr std::size_t device = 32;
  static constexpr std::size_t stream = 40;
  static constexpr std::size_t correlation = 44;
  static constexpr std::size_t graph_node = 64;
};

// The fields before these are as in CopyLayout.
struct PeerCopyLayout {
  static constexpr std::size_t correlation = 60;
  static constexpr std::size_t graph_node = 72;
};

struct SetLayout {
  static constexpr std::size_t bytes = 8;
  static constexpr std::size_t start = 16;
  static constexpr std::size_t end = 24;
  static constexpr std::size_t device = 32;
  static constexpr std::size_t stream = 40;
  static constexpr std::size_t correlation = 44;
};

struct CallLayout {
  static constexpr std::size_t callback = 4;
  static constexpr std::size_t start = 8;
  static constexpr std::size_t end = 16;
  static constexpr std::size_t thread = 28;
  static constexpr std::size_t correlation = 32;
};

struct MarkerLayout {
  static constexpr std::size_t flags = 4;
  static constexpr std::size_t timestamp = 8;
  static constexpr std::size_t id = 16;
  static constexpr std::size_t object_kind = 20;
  static constexpr std::size_t thread = 28;
  static constexpr std::size_t name = 40;
  static constexpr std::size_t domain = 48;
};

// Records are packed, so a field need not be aligned.
template <class T>
T read_field(const void* record, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const std::uint8_t*>(record) + offset, sizeof value);
  return value;
}

}  // namespace tacho
