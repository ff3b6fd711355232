#include "tracing/tracefile/gpu_trace_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/confined_file.h"
#include "base/secrets.h"
#include "tracing/tracefile/chunk_decoder.h"
#include "tracing/tracefile/gpu_trace_format.h"

namespace tacho {
namespace {

constexpr Bytes kMaxFileSize{std::int64_t{16} << 30};

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8) | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

// Payload of the chunk at the front of `bytes`; empty if the chunk is truncated or damaged.
std::string_view first_chunk(std::string_view bytes) {
  if (bytes.size() < kChunkHeaderSize) return {};
  const std::size_t size = little_endian(bytes);
  if (size > kMaxChunkSize || size > bytes.size() - kChunkHeaderSize) return {};
  const std::string_view payload = bytes.substr(kChunkHeaderSize, size);
  return trace_crc32(payload) == little_endian(bytes.substr(4)) ? payload : std::string_view{};
}

Result<void> check_header(std::string_view bytes) {
  if (bytes.substr(0, kGpuTraceMagic.size()) != kGpuTraceMagic) {
    return Error{ErrorCode::invalid,
                 "not a GPU trace: it does not begin with \"" + std::string(kGpuTraceMagic) + "\""};
  }
  if (bytes.size() < kGpuTraceHeaderSize) {
    return Error{ErrorCode::invalid, "GPU trace is truncated within its first 12 bytes"};
  }
  const std::uint32_t version = little_endian(bytes.substr(kGpuTraceMagic.size()));
  if (version != kGpuTraceVersion) {
    return Error{ErrorCode::newer, "GPU trace has version " + std::to_string(version) +
                                       ", but this Tacho reads version " +
                                       std::to_string(kGpuTraceVersion) + "; update Tacho"};
  }
  return {};
}

}  // namespace

Result<GpuTrace> decode_gpu_trace(std::string_view bytes) {
  TACHO_CHECK(check_header(bytes));
  ChunkDecoder decoder(bytes.size());
  std::size_t at = kGpuTraceHeaderSize;
  while (true) {
    const std::string_view payload = first_chunk(bytes.substr(at));
    if (payload.empty()) break;
    TACHO_CHECK(decoder.decode(payload).in("chunk at byte " + std::to_string(at)));
    at += kChunkHeaderSize + payload.size();
  }
  GpuTrace trace = std::move(decoder).finish();
  trace.lost_bytes = bytes.size() - at;
  return trace;
}

Result<GpuTrace> read_gpu_trace(const std::filesystem::path& folder,
                                const std::filesystem::path& file) {
  TACHO_TRY(bytes, read_confined(folder, file, kMaxFileSize));
  auto trace = decode_gpu_trace(bytes).in((folder / file).string());
  if (trace.ok()) trace->program = without_secrets(std::string_view(trace->program));
  return trace;
}

}  // namespace tacho
