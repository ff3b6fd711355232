#include <algorithm>
#include <string>

#include "fuzz_loop.h"
#include "tracing/tracefile/gpu_trace_reader.h"
#include "tracing/tracefile/sample_trace.h"

int main(int argc, char** argv) {
  return tacho::fuzz(
      argc, argv, {tacho::sample_trace_bytes(), tacho::GpuTraceEncoder::header()},
      [](const std::string& bytes) { return tacho::decode_gpu_trace(bytes).ok(); },
      // Correct checksums and mostly a correct header; otherwise hardly any damage reaches the
      // records.
      [](std::string& bytes) {
        bytes.replace(0, std::min(bytes.size(), tacho::kGpuTraceHeaderSize),
                      tacho::GpuTraceEncoder::header());
        tacho::seal_chunks(bytes);
      });
}
