#include "core/record/usage.h"

#include <fmt/format.h>

#include "base/json_fields.h"

namespace tacho {

// Leaves out absent values and empty lists: ten lines are written per second.
void describe(auto&& f, Is<GpuSample> auto& s) {
  f("index", s.index);
  f("name", s.name);
  f("busy", s.busy);
  f("memory_busy", s.memory_busy);
  f("memory_bytes", s.memory_bytes);
  f("memory_total_bytes", s.memory_total_bytes);
  f("watts", s.watts);
  f("joules", s.joules);
  f("sm_mhz", s.sm_mhz);
  f("sm_max_mhz", s.sm_max_mhz);
  f("memory_mhz", s.memory_mhz);
  f("celsius", s.celsius);
  f("throttled_by", IfAny{s.throttled_by});
  f("pcie_rx_bytes_per_s", s.pcie_rx_bytes_per_s);
  f("pcie_tx_bytes_per_s", s.pcie_tx_bytes_per_s);
  f("other_processes", s.other_processes);
}

void describe(auto&& f, Is<UsageSample> auto& s) {
  f("unix_seconds", s.unix_seconds);
  f("processes", s.processes);
  f("threads", s.threads);
  f("user_s", s.user_s);
  f("system_s", s.system_s);
  f("resident_bytes", s.resident_bytes);
  f("peak_resident_bytes", s.peak_resident_bytes);
  f("swapped_bytes", s.swapped_bytes);
  f("minor_faults", s.minor_faults);
  f("major_faults", s.major_faults);
  f("voluntary_switches", s.voluntary_switches);
  f("involuntary_switches", s.involuntary_switches);
  f("read_bytes", s.read_bytes);
  f("write_bytes", s.write_bytes);
  f("read_chars", s.read_chars);
  f("write_chars", s.write_chars);
  f("net_rx_bytes", s.net_rx_bytes);
  f("net_tx_bytes", s.net_tx_bytes);
  f("throttled_s", s.throttled_s);
  f("cpu_stalled_s", s.cpu_stalled_s);
  f("memory_stalled_s", s.memory_stalled_s);
  f("io_stalled_s", s.io_stalled_s);
  f("waited_s", s.waited_s);
  f("others_s", s.others_s);
  f("stolen_s", s.stolen_s);
  f("gpus", IfAny{s.gpus});
}

void describe(auto&& f, Is<ThreadUsage> auto& s) {
  f("name", s.name);
  f("process", s.process);
  f("cpu_s", s.cpu_s);
  f("waited_s", s.waited_s);
}

void describe(auto&& f, Is<UsageFacts> auto& s) {
  f("interval_s", s.interval_s);
  f("cores", s.cores);
  f("processors", s.processors);
  f("memory_limit_bytes", s.memory_limit_bytes);
  f("threads", IfAny{s.threads});
  f("hardware", s.hardware);
  f("unavailable", s.unavailable);
  f("sampler_cpu_s", s.sampler_cpu_s);
}

namespace {

std::string line_of(const char* kind, Json body) {
  Json line = Json::object();
  line[kind] = std::move(body);
  return json_text(line);
}

Result<void> read_line(std::string_view line, UsageLog& log) {
  TACHO_TRY(json, parse_json(line));
  JsonObject object(json, "usage");
  const Json* sample = object.part("sample", false);
  const Json* facts = object.part("facts", false);
  TACHO_CHECK(object.finish());
  if ((sample != nullptr) == (facts != nullptr)) {
    return Error{ErrorCode::invalid, "usage: expected either 'sample' or 'facts'"};
  }
  if (sample != nullptr) {
    TACHO_TRY(read, read_json<UsageSample>(*sample, "sample", Numbers::finite));
    log.samples.push_back(std::move(read));
  } else {
    TACHO_TRY(read, read_json<UsageFacts>(*facts, "facts", Numbers::finite));
    log.facts = std::move(read);
  }
  return {};
}

}  // namespace

std::string to_line(const UsageSample& sample) { return line_of("sample", json_of(sample)); }

std::string to_line(const UsageFacts& facts) { return line_of("facts", json_of(facts)); }

Result<UsageLog> usage_from_text(std::string_view text) {
  UsageLog log;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool cut_off = end == std::string_view::npos;
    text.remove_prefix(cut_off ? text.size() : end + 1);
    if (line.empty()) continue;
    const auto read = read_line(line, log);
    if (!read.ok() && !cut_off) return read.error().in(fmt::format("line {}", number));
  }
  return log;
}

}  // namespace tacho
