#include "tracing/report/json_report.h"

#include "core/record/event_fields.h"
#include "core/record/outcome.h"
#include "tracing/report/advice.h"
#include "tracing/report/roofline.h"
#include "tracing/report/run_time.h"
#include "tracing/report/step_breakdown.h"
#include "tracing/report/text_report.h"

namespace tacho {
namespace {

constexpr int kJsonReportVersion = 1;

template <class Row>
Json list_of(const std::vector<Row>& rows, Json (*json)(const Row&)) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(json(row));
  return list;
}

Json time_json(const TimeRow& row) {
  return {{"name", row.name},   {"count", row.count},   {"total_s", row.total_s},
          {"share", row.share}, {"mean_s", row.mean_s}, {"median_s", row.median_s},
          {"min_s", row.min_s}, {"max_s", row.max_s},   {"deviation_s", row.deviation_s}};
}

Json kernel_json(const KernelRow& row) {
  Json json = time_json(row.time);
  json["class"] = kKernelClasses.of(row.kind);
  json["tensor_cores"] = row.tensor_cores;
  return json;
}

Json copy_json(const CopyRow& row) {
  Json json = time_json(row.time);
  json["name"] = row.direction;
  json["bytes_each"] = row.bytes_each;
  json["bytes"] = row.bytes;
  json["bytes_per_s"] = row.bytes_per_s;
  return json;
}

Json stream_json(const StreamRow& row) {
  return {{"device", row.device},
          {"stream", row.stream},
          {"kernels", row.kernels},
          {"copies", row.copies},
          {"busy_s", row.busy_s}};
}

Json class_json(const ClassRow& row) {
  return {{"class", kKernelClasses.of(row.kind)},
          {"seconds_per_step", row.seconds_per_step},
          {"share", row.share},
          {"tensor_core_share", row.tensor_core_share},
          {"kernels_per_step", row.kernels_per_step}};
}

Json load_json(const KernelLoad& load) {
  return {{"class", kKernelClasses.of(load.kind)},
          {"tensor_cores", load.tensor_cores},
          {"threads", load.threads},
          {"seconds_per_step", load.seconds_per_step}};
}

Json steps_json(const FoundSteps& steps) {
  const std::size_t count = steps.begins_ns.empty() ? 0 : steps.begins_ns.size() - 1;
  return {{"count", count},
          {"period_s", steps.period_s},
          {"mean_s", steps.mean_s},
          {"p25_s", steps.p25_s},
          {"p75_s", steps.p75_s},
          {"jitter", steps.jitter},
          {"outliers", steps.outliers},
          {"kernels_per_step", steps.kernels_per_step},
          {"confidence", steps.confidence}};
}

Json parts_json(const StepParts& parts) {
  return {{"input_wait_s", parts.input_wait},
          {"host_to_device_s", parts.host_to_device},
          {"forward_s", parts.forward},
          {"backward_s", parts.backward},
          {"optimizer_s", parts.optimizer},
          {"comm_exposed_s", parts.comm_exposed},
          {"launch_gaps_s", parts.launch_gaps},
          {"sync_gaps_s", parts.sync_gaps},
          {"other_s", parts.other},
          {"comm_hidden_s", parts.comm_hidden},
          {"phases_known", parts.phases_known}};
}

Json signs_json(const StepSigns& signs) {
  return {{"gpu_busy_share", signs.gpu_busy_share},
          {"median_kernel_s", signs.median_kernel_s},
          {"launches_per_step", signs.launches_per_step},
          {"host_call_s", signs.host_call_s},
          {"syncs_per_step", signs.syncs_per_step},
          {"sync_wait_s", signs.sync_wait_s},
          {"queue_wait_s", signs.queue_wait_s},
          {"host_work_s", signs.host_work_s},
          {"layout_change_s", signs.layout_change_s},
          {"tensor_core_share", signs.tensor_core_share},
          {"pageable_copy_s", signs.pageable_copy_s},
          {"mean_occupied_blocks", signs.mean_occupied_blocks},
          {"uses_graphs", signs.uses_graphs}};
}

Json process_json(const GpuProcess& process) {
  const GpuFindings& gpu = process.findings;
  return {{"process", gpu.process},
          {"program", gpu.program},
          {"gpu", gpu.gpu},
          {"span_s", gpu.span_s},
          {"kernel_count", gpu.kernel_count},
          {"dropped", gpu.dropped},
          {"ended", gpu.ended},
          {"steps", steps_json(gpu.steps)},
          {"parts", parts_json(gpu.parts)},
          {"classes", list_of(gpu.classes, class_json)},
          {"loads", list_of(gpu.loads, load_json)},
          {"signs", signs_json(gpu.signs)},
          {"kernels", list_of(gpu.tables.kernels, kernel_json)},
          {"calls", list_of(gpu.tables.calls, time_json)},
          {"copies", list_of(gpu.tables.copies, copy_json)},
          {"copies_by_size", list_of(gpu.tables.copies_by_size, copy_json)},
          {"streams", list_of(gpu.tables.streams, stream_json)},
          {"ranges", list_of(gpu.tables.ranges, time_json)}};
}

Json advice_json(const Advice& advice) {
  return {{"key", advice.key},
          {"title", advice.title},
          {"action", advice.action},
          {"evidence", advice.evidence},
          {"saving", advice.saving},
          {"saving_low", advice.range.low},
          {"saving_high", advice.range.high}};
}

Json part_json(const StepPart& part) {
  return {
      {"key", part.key}, {"title", part.title}, {"seconds", part.seconds}, {"share", part.share}};
}

Json time_part_json(const TimePart& part) {
  return {
      {"key", part.key}, {"title", part.title}, {"seconds", part.seconds}, {"share", part.share}};
}

Json step_json(const RunFindings& run) {
  const auto step = step_breakdown_of(run);
  if (!step) return nullptr;
  Json json = {{"seconds", step->seconds},
               {"p25_s", step->p25_s},
               {"p75_s", step->p75_s},
               {"count", step->count},
               {"samples_per_s", nullptr},
               {"source", step->source},
               {"parts", list_of(step->parts, part_json)}};
  if (step->samples_per_s > 0) json["samples_per_s"] = step->samples_per_s;
  return json;
}

Json point_json(const RooflinePoint& point) {
  return {{"name", point.name},
          {"seconds", point.seconds},
          {"flops_per_s", point.flops_per_s},
          {"bytes_per_s", point.bytes_per_s},
          {"intensity", point.intensity},
          {"limit", point.by_memory ? "memory" : "compute"},
          {"reached", point.reached}};
}

Json roofline_json(const RunFindings& run) {
  const auto roof = roofline_of(run);
  if (!roof) return nullptr;
  return {{"machine", roof->machine},
          {"peak_flops", roof->peak_flops},
          {"peak_bytes_per_s", roof->peak_bytes_per_s},
          {"points", list_of(roof->points, point_json)}};
}

template <class T>
Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json gpu_usage_json(const GpuSummary& gpu) {
  return {{"index", gpu.index},
          {"name", gpu.name},
          {"mean_busy", maybe(gpu.mean_busy)},
          {"max_busy", maybe(gpu.max_busy)},
          {"mean_memory_busy", gpu.mean_memory_busy},
          {"max_memory_bytes", gpu.max_memory_bytes},
          {"memory_total_bytes", gpu.memory_total_bytes},
          {"mean_watts", gpu.mean_watts},
          {"joules", gpu.joules},
          {"mean_sm_mhz", gpu.mean_sm_mhz},
          {"sm_share_of_max", gpu.sm_share_of_max},
          {"max_celsius", gpu.max_celsius},
          {"throttled_by", gpu.throttled_by},
          {"mean_pcie_rx_bytes_per_s", maybe(gpu.mean_pcie_rx_bytes_per_s)},
          {"mean_pcie_tx_bytes_per_s", maybe(gpu.mean_pcie_tx_bytes_per_s)}};
}

Json usage_json(const RunFindings& run) {
  if (!run.used) return nullptr;
  const UsageSummary& used = *run.used;
  Json json = {{"seconds", used.seconds},
               {"mean_cores", used.mean_cores},
               {"max_cores", used.max_cores},
               {"user_s", used.user_s},
               {"system_s", used.system_s},
               {"mean_resident_bytes", used.mean_resident_bytes},
               {"peak_resident_bytes", used.peak_resident_bytes},
               {"peak_swapped_bytes", used.peak_swapped_bytes},
               {"peak_processes", used.peak_processes},
               {"peak_threads", used.peak_threads},
               {"minor_faults", used.minor_faults},
               {"major_faults", used.major_faults},
               {"voluntary_switches", used.voluntary_switches},
               {"involuntary_switches", used.involuntary_switches},
               {"read_bytes", maybe(used.read_bytes)},
               {"write_bytes", maybe(used.write_bytes)},
               {"net_rx_bytes", maybe(used.net_rx_bytes)},
               {"net_tx_bytes", maybe(used.net_tx_bytes)},
               {"throttled_share", maybe(used.throttled_share)},
               {"cpu_stalled_share", maybe(used.cpu_stalled_share)},
               {"memory_stalled_share", maybe(used.memory_stalled_share)},
               {"io_stalled_share", maybe(used.io_stalled_share)},
               {"gpus", list_of(used.gpus, gpu_usage_json)}};
  if (run.usage && run.usage->facts) {
    const UsageFacts& facts = *run.usage->facts;
    json["cores_allowed"] = facts.cores;
    json["memory_limit_bytes"] = facts.memory_limit_bytes;
    json["hardware"] = facts.hardware;
    json["unavailable"] = facts.unavailable;
    json["sampler_cpu_s"] = facts.sampler_cpu_s;
  }
  return json;
}

}  // namespace

Json json_report(const RunFindings& run) {
  const RunRecord& record = run.record;
  Json absent = Json::array();
  for (const AbsentPart& part : run.absent)
    absent.push_back({{"part", part.part}, {"why", part.why}});
  return {{"version", kJsonReportVersion},
          {"run",
           {{"id", run.id},
            {"key", record.order.key},
            {"title", run_title(record)},
            {"outcome", kOutcomes.of(record.outcome)},
            {"reason", record.reason},
            {"disturbed", record.disturbed},
            {"environment", record.environment ? json_of(*record.environment) : Json(nullptr)},
            {"wall_s", record.totals.wall_seconds}}},
          {"time", list_of(run_time_of(record), time_part_json)},
          {"step", step_json(run)},
          {"advice", list_of(advise(run), advice_json)},
          {"usage", usage_json(run)},
          {"gpu", list_of(run.processes, process_json)},
          {"operators", run.ops ? to_json(*run.ops) : Json(nullptr)},
          {"roofline", roofline_json(run)},
          {"absent", std::move(absent)}};
}

}  // namespace tacho
