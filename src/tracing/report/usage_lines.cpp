#include <fmt/format.h>

#include <map>

#include "base/units.h"
#include "tracing/report/report_tables.h"
#include "tracing/report/words.h"

namespace tacho {
namespace {

std::string size(std::int64_t amount) { return human(Bytes{amount}); }

// A comma-separated list.
class Words {
 public:
  void add(std::string words) { text_ += (text_.empty() ? "" : ", ") + std::move(words); }
  void add_share(const std::optional<double>& share, std::string_view of_what) {
    if (share && *share >= 0.005) add(fmt::format("{} {}", percent(*share), of_what));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string cpu_words(const UsageSummary& used, const std::optional<UsageFacts>& facts) {
  Words words;
  words.add(facts && facts->cores > 0
                ? fmt::format("mean {:.2f} of {} cores, max {:.1f}", used.mean_cores, facts->cores,
                              used.max_cores)
                : fmt::format("mean {:.2f} cores, max {:.1f}", used.mean_cores, used.max_cores));
  words.add("user " + human(Seconds(used.user_s)));
  words.add("system " + human(Seconds(used.system_s)));
  words.add(fmt::format("{} process{}, {} thread{}", used.peak_processes,
                        used.peak_processes == 1 ? "" : "es", used.peak_threads,
                        used.peak_threads == 1 ? "" : "s"));
  words.add_share(used.throttled_share, "throttled");
  words.add_share(used.cpu_stalled_share, "waiting for cores");
  return words.text();
}

std::string memory_words(const RunFindings& run, const UsageSummary& used,
                         const std::optional<UsageFacts>& facts) {
  Words words;
  const bool limited = facts && facts->memory_limit_bytes > 0;
  const std::int64_t peak = run.record.totals.peak_memory_bytes;
  if (peak > 0) words.add("peak " + size(peak) + " in the largest process");
  words.add(size(used.peak_resident_bytes) + " in total" +
            (limited ? ", of " + size(facts->memory_limit_bytes) : ""));
  if (used.peak_swapped_bytes > 0) words.add(size(used.peak_swapped_bytes) + " swapped");
  words.add(fmt::format("{} major faults", human_count(static_cast<double>(used.major_faults))));
  words.add_share(used.memory_stalled_share, "waiting for memory");
  return words.text();
}

std::string io_words(const UsageSummary& used) {
  Words words;
  if (used.read_bytes) words.add("read " + size(*used.read_bytes));
  if (used.write_bytes) words.add("wrote " + size(*used.write_bytes));
  if (used.net_rx_bytes) words.add("received " + size(*used.net_rx_bytes));
  if (used.net_tx_bytes) words.add("sent " + size(*used.net_tx_bytes));
  words.add_share(used.io_stalled_share, "waiting for storage");
  return words.text();
}

std::string gpu_words(const GpuSummary& gpu) {
  Words words;
  words.add(gpu.mean_busy ? fmt::format("{} {} busy", gpu.name, percent(*gpu.mean_busy))
                          : gpu.name);
  words.add(fmt::format("{} of {}", size(gpu.max_memory_bytes), size(gpu.memory_total_bytes)));
  words.add(fmt::format("{:.0f} W", gpu.mean_watts));
  words.add(fmt::format("{:.0f} MHz", gpu.mean_sm_mhz));
  words.add(fmt::format("{:.0f} °C", gpu.max_celsius));
  for (const auto& [reason, share] : gpu.throttled_by) {
    words.add(fmt::format("throttled ({}) {} of the time", reason, percent(share)));
  }
  return words.text();
}

// Groups missing counters by their reason; most have the same one.
std::map<std::string, std::string> by_reason(const UsageFacts& facts) {
  std::map<std::string, std::string> reasons;
  for (const auto& [what, why] : facts.unavailable) {
    std::string& names = reasons[why];
    names += (names.empty() ? "" : ", ") + what;
  }
  return reasons;
}

std::string counter_words(const UsageFacts& facts) {
  Words words;
  for (const auto& [name, value] : facts.hardware) words.add(fmt::format("{} {:.3g}", name, value));
  return words.text();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> usage_lines(const RunFindings& run) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (!run.used || !run.usage) return lines;
  const UsageSummary& used = *run.used;
  const auto& facts = run.usage->facts;
  lines.emplace_back("cpu", cpu_words(used, facts));
  lines.emplace_back("memory", memory_words(run, used, facts));
  if (auto words = io_words(used); !words.empty()) lines.emplace_back("disk, net", words);
  for (const GpuSummary& gpu : used.gpus) {
    lines.emplace_back(fmt::format("GPU {}", gpu.index), gpu_words(gpu));
  }
  if (facts && !facts->hardware.empty()) lines.emplace_back("counters", counter_words(*facts));
  if (facts) {
    for (const auto& [why, what] : by_reason(*facts)) {
      lines.emplace_back("missing", what + ": " + why);
    }
  }
  return lines;
}

}  // namespace tacho
