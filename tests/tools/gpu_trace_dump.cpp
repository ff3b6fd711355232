// Prints GPU trace files: gpu_trace_dump [--kernels] FILE…
// One JSON line per file; with --kernels, one CSV row per kernel.
#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tracing/tracefile/gpu_trace_reader.h"

namespace {

using nlohmann::json;
using tacho::GpuTrace;

template <class Record>
json counted(const GpuTrace& trace, const std::vector<Record>& records) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_name;
  for (const Record& record : records) {
    auto& [count, total] = by_name[trace.names.at(record.name)];
    ++count;
    total += record.end_ns - record.begin_ns;
  }
  json out = json::object();
  for (const auto& [name, sums] : by_name) {
    out[name] = {{"count", sums.first}, {"total_ns", sums.second}};
  }
  return out;
}

json describe_gpus(const GpuTrace& trace) {
  json out = json::array();
  for (const tacho::TracedGpu& gpu : trace.gpus) {
    out.push_back({{"index", gpu.index},
                   {"name", gpu.name},
                   {"compute", fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor)},
                   {"multiprocessors", gpu.multiprocessors},
                   {"memory_bytes", gpu.memory_bytes},
                   {"memory_bytes_per_s", gpu.memory_bytes_per_s},
                   {"clock_hz", gpu.clock_hz}});
  }
  return out;
}

json describe_copies(const GpuTrace& trace) {
  const char* const kinds[] = {"other", "host_to_device", "device_to_host", "device_to_device",
                               "peer"};
  json out = json::object();
  for (const tacho::CopyRecord& copy : trace.copies) {
    json& kind = out[kinds[static_cast<int>(copy.kind)]];
    if (kind.is_null()) kind = json::object();
    kind["count"] = kind.value("count", 0) + 1;
    kind["bytes"] = kind.value("bytes", std::int64_t{0}) + copy.bytes;
    kind["total_ns"] = kind.value("total_ns", std::int64_t{0}) + copy.end_ns - copy.begin_ns;
    kind["pageable"] = kind.value("pageable", 0) + (copy.pageable ? 1 : 0);
  }
  return out;
}

json describe(const GpuTrace& trace, std::uintmax_t file_bytes) {
  const std::size_t records = trace.kernels.size() + trace.copies.size() + trace.sets.size() +
                              trace.calls.size() + trace.syncs.size() + trace.ranges.size();
  std::int64_t kernel_ns = 0;
  std::size_t in_graphs = 0;
  for (const tacho::KernelRecord& kernel : trace.kernels) {
    kernel_ns += kernel.end_ns - kernel.begin_ns;
    in_graphs += kernel.graph_node != 0 ? 1 : 0;
  }
  json out = {{"process", trace.process},
              {"program", trace.program},
              {"cupti_version", trace.cupti_version},
              {"driver_version", trace.driver_version},
              {"to_unix_ns", trace.to_unix_ns},
              {"ended", trace.ended},
              {"dropped", trace.dropped},
              {"lost_bytes", trace.lost_bytes},
              {"file_bytes", file_bytes},
              {"bytes_per_record", static_cast<double>(file_bytes) /
                                       static_cast<double>(std::max<std::size_t>(records, 1))},
              {"counts",
               {{"kernels", trace.kernels.size()},
                {"kernels_in_graphs", in_graphs},
                {"copies", trace.copies.size()},
                {"sets", trace.sets.size()},
                {"calls", trace.calls.size()},
                {"syncs", trace.syncs.size()},
                {"ranges", trace.ranges.size()},
                {"names", trace.names.size()},
                {"shapes", trace.shapes.size()}}},
              {"kernel_ns", kernel_ns},
              {"gpus", describe_gpus(trace)},
              {"copies", describe_copies(trace)},
              {"kernels", counted(trace, trace.kernels)},
              {"calls", counted(trace, trace.calls)},
              {"ranges", counted(trace, trace.ranges)}};
  if (!trace.kernels.empty()) {
    out["first_begin_ns"] = trace.kernels.front().begin_ns;
    out["last_begin_ns"] = trace.kernels.back().begin_ns;
  }
  return out;
}

void print_kernels(const GpuTrace& trace) {
  fmt::print("begin_ns,end_ns,device,stream,correlation,graph_node,grid,block,name\n");
  for (const tacho::KernelRecord& kernel : trace.kernels) {
    const tacho::LaunchShape& shape = trace.shapes.at(kernel.shape);
    fmt::print("{},{},{},{},{},{},{},{},\"{}\"\n", kernel.begin_ns, kernel.end_ns, kernel.device,
               kernel.stream, kernel.correlation, kernel.graph_node, fmt::join(shape.grid, "x"),
               fmt::join(shape.block, "x"), trace.names.at(kernel.name));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  const auto flag = std::find(files.begin(), files.end(), "--kernels");
  const bool kernels = flag != files.end();
  if (kernels) files.erase(flag);
  if (files.empty()) {
    fmt::print(stderr, "usage: gpu_trace_dump [--kernels] FILE…\n");
    return 2;
  }
  for (const std::string& file : files) {
    const auto path = std::filesystem::absolute(file);
    const auto trace = tacho::read_gpu_trace(path.parent_path(), path.filename());
    if (!trace.ok()) {
      fmt::print(stderr, "gpu_trace_dump: {}\n", trace.error().message);
      return 1;
    }
    if (kernels) {
      print_kernels(*trace);
    } else {
      fmt::print("{}\n", describe(*trace, std::filesystem::file_size(file))
                             .dump(-1, ' ', false, json::error_handler_t::replace));
    }
  }
}
