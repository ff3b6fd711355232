#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tacho {

// The file of one traced process. It is written while the process runs and must be readable
// whenever that ends, so it is append-only:
//
//   "TACHOGPU", version (4 bytes), then chunks:
//   length of the payload (4 bytes), its CRC-32 (4 bytes), payload
//
// All little-endian. A payload is a sequence of records: one byte (kind in the low bits, flags in
// the high bits), then varints. Names and launch shapes are records too, written once before their
// first use and numbered in order. Times and correlations are differences to the previous record of
// the same kind in the same chunk.
inline constexpr std::string_view kGpuTraceMagic = "TACHOGPU";
inline constexpr std::uint32_t kGpuTraceVersion = 1;
inline constexpr std::size_t kGpuTraceHeaderSize = 12;
inline constexpr std::size_t kChunkHeaderSize = 8;
inline constexpr std::size_t kMaxChunkSize = std::size_t{64} << 20;

enum class TraceTag : std::uint8_t {
  process = 1,
  gpu,
  name,
  shape,
  kernel,
  copy,
  set,
  call,
  sync,
  range_begin,
  range_end,
  mark,
  dropped,
  end,
};
inline constexpr std::uint8_t kTraceTagMask = 0x1f;
// Device and stream, or the thread, are those of the previous record of the same kind.
inline constexpr std::uint8_t kSamePlaceFlag = 0x20;
inline constexpr std::uint8_t kGraphNodeFlag = 0x40;
inline constexpr std::uint8_t kPageableFlag = 0x80;

// Values of the previous record of a kind, to which the next one is written as a difference.
struct TraceDeltas {
  std::uint64_t begin = 0;
  std::uint64_t correlation = 0;
  std::uint64_t graph_node = 0;
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t thread = 0;
};
using AllTraceDeltas = std::array<TraceDeltas, kTraceTagMask + 1>;

// CRC-32 as in zlib and Ethernet.
std::uint32_t trace_crc32(std::string_view bytes);

}  // namespace tacho
