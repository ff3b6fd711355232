#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "fuzz_loop.h"
#include "tracing/trace/gpu_findings.h"
#include "tracing/trace/timeline.h"
#include "tracing/tracefile/gpu_trace_reader.h"
#include "tracing/tracefile/sample_trace.h"

// An accepted trace must not crash its analysis.
int main(int argc, char** argv) {
  const tacho::ScratchFolder folder;
  return tacho::fuzz(
      argc, argv, {tacho::sample_trace_bytes()},
      [&folder](const std::string& bytes) {
        const auto trace = tacho::decode_gpu_trace(bytes);
        if (!trace.ok()) return false;
        const tacho::GpuFindings found = tacho::find_in(*trace);
        const std::vector<tacho::TimelineProcess> processes = {{*trace, found.steps}};
        return tacho::write_timeline(folder.path() / "trace.json", processes).ok();
      },
      [](std::string& bytes) {
        bytes.replace(0, std::min(bytes.size(), tacho::kGpuTraceHeaderSize),
                      tacho::GpuTraceEncoder::header());
        tacho::seal_chunks(bytes);
      });
}
