#include "tracing/report/report_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "tracing/report/roofline.h"
#include "tracing/report/run_time.h"
#include "tracing/report/short_name.h"

namespace tacho {
namespace {

std::string time(double seconds) { return human(Seconds(seconds)); }
std::string count(std::int64_t number) { return human_count(static_cast<double>(number)); }
std::string bytes(double amount) { return human(Bytes{static_cast<std::int64_t>(amount)}); }
std::string rate(double per_s) { return bytes(per_s) + "/s"; }
std::string giga(double per_s) {
  const double amount = per_s / 1e9;
  return amount < 100 ? fmt::format("{:.3g}", amount) : human_count(std::round(amount));
}

template <class Row>
std::string cut_note(const std::vector<Row>& all, std::size_t shown) {
  if (all.size() <= shown) return "";
  return fmt::format("{} more in --json", all.size() - shown);
}

template <class Row, class Cells>
void add(std::vector<ReportTable>& tables, ReportTable table, const std::vector<Row>& all,
         std::size_t limit, const Cells& cells) {
  if (all.empty()) return;
  for (std::size_t i = 0; i < std::min(limit, all.size()); ++i) table.rows.push_back(cells(all[i]));
  table.note = cut_note(all, limit);
  tables.push_back(std::move(table));
}

std::vector<std::string> time_cells(const TimeRow& row) {
  return {human_share(row.share), time(row.total_s), count(row.count), time(row.mean_s),
          time(row.median_s),     time(row.min_s),   time(row.max_s),  row.name};
}

const std::vector<Table::Heading> kTimeHeadings = {
    {"share"}, {"total"}, {"count"}, {"mean"}, {"median"}, {"min"}, {"max"}, {"name", Align::left}};

const std::vector<std::size_t> kWideTimes = {3, 5, 6};  // mean, min, max

void add_time(std::vector<ReportTable>& tables, const RunFindings& run, std::size_t limit) {
  add(tables,
      {"time", "Where the run's time goes", "", {{"share"}, {"time"}, {"part", Align::left}}, {}},
      run_time_of(run.record), limit, [](const TimePart& part) -> std::vector<std::string> {
        return {human_share(part.share), time(part.seconds), std::string(part.title)};
      });
}

void add_gpu_tables(std::vector<ReportTable>& tables, const GpuFindings& gpu, std::size_t limit) {
  add(tables,
      {"classes",
       "Kernel classes, per step",
       "",
       {{"share"}, {"time"}, {"kernels"}, {"tensor cores"}, {"class", Align::left}},
       {}},
      gpu.classes, limit, [](const ClassRow& row) -> std::vector<std::string> {
        return {human_share(row.share), time(row.seconds_per_step), count(row.kernels_per_step),
                human_share(row.tensor_core_share), std::string(kKernelClasses.of(row.kind))};
      });
  add(tables, {"kernels", "Kernels", "", kTimeHeadings, {}, kWideTimes}, gpu.tables.kernels, limit,
      [](const KernelRow& row) {
        auto cells = time_cells(row.time);
        cells.back() = short_kernel_name(row.time.name);
        return cells;
      });
  add(tables, {"calls", "CUDA runtime and driver calls", "", kTimeHeadings, {}, kWideTimes},
      gpu.tables.calls, limit, time_cells);
  add(tables,
      {"copies",
       "Copies",
       "",
       {{"share"}, {"total"}, {"count"}, {"bytes"}, {"speed"}, {"direction", Align::left}},
       {}},
      gpu.tables.copies, limit, [](const CopyRow& row) -> std::vector<std::string> {
        return {human_share(row.time.share), time(row.time.total_s),
                count(row.time.count),       bytes(static_cast<double>(row.bytes)),
                rate(row.bytes_per_s),       row.direction};
      });
  add(tables,
      {"streams", "Streams", "", {{"GPU"}, {"stream"}, {"kernels"}, {"copies"}, {"busy"}}, {}},
      gpu.tables.streams, limit, [](const StreamRow& row) -> std::vector<std::string> {
        return {std::to_string(row.device), std::to_string(row.stream), count(row.kernels),
                count(row.copies), time(row.busy_s)};
      });
  add(tables, {"ranges", "NVTX ranges", "", kTimeHeadings, {}, kWideTimes}, gpu.tables.ranges,
      limit, time_cells);
}

void add_processes(std::vector<ReportTable>& tables, const RunFindings& run, std::size_t limit) {
  if (run.processes.size() < 2) return;
  add(tables,
      {"processes",
       "GPU processes",
       "",
       {{"process"}, {"kernels"}, {"dropped"}, {"step"}, {"ended"}, {"program", Align::left}},
       {}},
      run.processes, limit, [](const GpuProcess& process) -> std::vector<std::string> {
        const GpuFindings& gpu = process.findings;
        return {std::to_string(gpu.process),
                count(gpu.kernel_count),
                count(static_cast<std::int64_t>(gpu.dropped)),
                gpu.steps.period_s > 0 ? time(gpu.steps.period_s) : "-",
                gpu.ended ? "yes" : "no",
                gpu.program};
      });
}

void add_ops(std::vector<ReportTable>& tables, const OpTrace& ops, std::size_t limit) {
  double all = 0;
  for (const OpRow& row : ops.rows) all += row.self_s;
  const auto steps = static_cast<double>(std::max<std::size_t>(1, ops.step_s.size()));
  add(tables,
      {"operators",
       fmt::format("Operators, per step, of {} steps", count(static_cast<std::int64_t>(steps))),
       "",
       {{"share"}, {"self"}, {"calls"}, {"GFLOP/s"}, {"GB/s"}, {"operator", Align::left}},
       {}},
      ops.rows, limit, [all, steps](const OpRow& row) -> std::vector<std::string> {
        const bool timed = row.self_s > 0;
        return {human_share(all > 0 ? row.self_s / all : 0),
                time(row.self_s / steps),
                human_count(static_cast<double>(row.calls) / steps),
                timed && row.flops > 0 ? giga(row.flops / row.self_s) : "-",
                timed && row.bytes > 0 ? giga(row.bytes / row.self_s) : "-",
                fmt::format("{} {} {}", row.name, kOpPhases.of(row.phase), row.shapes)};
      });
}

void add_roofline(std::vector<ReportTable>& tables, const RunFindings& run, std::size_t limit) {
  const auto roof = roofline_of(run);
  if (!roof) return;
  add(tables,
      {"roofline",
       fmt::format("Compared with {}: {} GFLOP/s, {} GB/s", roof->machine, giga(roof->peak_flops),
                   giga(roof->peak_bytes_per_s)),
       "",
       {{"time"}, {"GFLOP/s"}, {"GB/s"}, {"FLOP/B"}, {"reached"}, {"limit"}, {"work", Align::left}},
       {}},
      roof->points, limit, [](const RooflinePoint& point) -> std::vector<std::string> {
        return {time(point.seconds),
                giga(point.flops_per_s),
                giga(point.bytes_per_s),
                fmt::format("{:.3g}", point.intensity),
                human_share(point.reached),
                point.by_memory ? "memory" : "compute",
                point.name};
      });
}

void add_threads(std::vector<ReportTable>& tables, const UsageFacts& facts, std::size_t limit) {
  add(tables,
      {"threads", "Threads by CPU time", "", {{"time"}, {"process"}, {"thread", Align::left}}, {}},
      facts.threads, limit, [](const ThreadUsage& thread) -> std::vector<std::string> {
        return {time(thread.cpu_s), std::to_string(thread.process), thread.name};
      });
}

}  // namespace

std::vector<ReportTable> report_tables(const RunFindings& run, std::size_t rows) {
  std::vector<ReportTable> tables;
  add_time(tables, run, rows);
  if (const GpuFindings* gpu = run.gpu()) add_gpu_tables(tables, *gpu, rows);
  add_processes(tables, run, rows);
  if (run.ops) add_ops(tables, *run.ops, rows);
  add_roofline(tables, run, rows);
  if (run.usage && run.usage->facts) add_threads(tables, *run.usage->facts, rows);
  return tables;
}

}  // namespace tacho
