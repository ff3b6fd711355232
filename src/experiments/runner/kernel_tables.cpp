#include "experiments/runner/kernel_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>

#include "base/terminal.h"
#include "base/units.h"
#include "core/record/statistics.h"
#include "tracing/report/run_findings.h"
#include "tracing/report/short_name.h"
#include "tracing/trace/trace_diff.h"

namespace tacho {
namespace {

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kNameColumns = 40;

// Returns the counted run whose first metric is closest to the median.
const ComparedRun* middle_run(const Comparison& comparison, std::size_t variant) {
  const std::string& metric = comparison.metrics.front().key;
  const Sample sample = sample_of(comparison, variant, metric);
  if (sample.values.empty()) return nullptr;
  const double centre = median(sample.values);
  const ComparedRun* closest = nullptr;
  double distance = HUGE_VAL;
  for (const ComparedRun& run : comparison.runs) {
    const auto value = run.values.find(metric);
    if (run.variant != variant || !counts(comparison, run)) continue;
    if (run.run.empty() || value == run.values.end()) continue;
    const double deviation = std::fabs(value->second - centre);
    if (deviation < distance) {
      distance = deviation;
      closest = &run;
    }
  }
  return closest;
}

class Traces {
 public:
  Traces(const Comparison& comparison, RunStore& store) : comparison_(comparison), store_(store) {}

  // Reads the trace once; returns nullptr if there is none.
  const RunFindings* of(std::size_t variant) {
    const auto [at, fresh] = read_.try_emplace(variant);
    if (fresh) at->second = read(variant);
    const auto& findings = at->second;
    return findings && findings->gpu() != nullptr ? &*findings : nullptr;
  }

 private:
  std::optional<RunFindings> read(std::size_t variant) {
    const ComparedRun* run = middle_run(comparison_, variant);
    if (run == nullptr) return std::nullopt;
    auto stored = store_.find(run->run);
    if (!stored.ok()) return std::nullopt;
    const RunFolder folder(stored->row.folder);
    std::error_code missing;
    if (!std::filesystem::exists(folder.gpu_traces(), missing)) return std::nullopt;
    return gather(folder, stored->row.id, std::move(stored->record), [](std::string_view) {});
  }

  const Comparison& comparison_;
  RunStore& store_;
  std::map<std::size_t, std::optional<RunFindings>> read_;
};

std::string sameness(const TraceDiff& diff) {
  std::size_t appeared = 0;
  std::size_t gone = 0;
  std::size_t counts = 0;
  for (const DiffRow& row : diff.rows) {
    appeared += row.change == Change::appeared ? 1 : 0;
    gone += row.change == Change::gone ? 1 : 0;
    const bool both = row.change != Change::appeared && row.change != Change::gone;
    counts += both && std::fabs(row.before_count - row.after_count) > 0.5 ? 1 : 0;
  }
  if (appeared + gone + counts == 0) {
    return fmt::format("the same {} kernels, equally often", diff.rows.size());
  }
  return fmt::format("{} new, {} gone, {} with another count", appeared, gone, counts);
}

SideTable table_of(const Comparison& comparison, std::size_t base, std::size_t variant,
                   const RunFindings& before, const RunFindings& after) {
  const TraceDiff diff = diff_kernels(*before.gpu(), *after.gpu());
  const Variant& first = comparison.variants[base];
  const Variant& second = comparison.variants[variant];
  SideTable table;
  table.title = fmt::format(
      "Kernels{}{}, {}: {} in run {}, {} in run {}; {}", first.group.empty() ? "" : ", ",
      first.group, diff.for_one_step ? "per step" : "whole run", human(Seconds(diff.before_s)),
      before.id, human(Seconds(diff.after_s)), after.id, sameness(diff));
  table.headings = {"", first.name, "times", second.name, "times", "kernel"};
  for (const DiffRow& row : diff.rows) {
    if (row.change == Change::same || table.rows.size() == kMostRows) continue;
    table.rows.push_back({std::string(kChanges.of(row.change)), human(Seconds(row.before_s)),
                          fmt::format("{:.3g}", row.before_count), human(Seconds(row.after_s)),
                          fmt::format("{:.3g}", row.after_count),
                          shortened(printable(short_kernel_name(row.name)), kNameColumns)});
  }
  return table;
}

}  // namespace

std::vector<SideTable> kernel_tables(const Comparison& comparison, RunStore& store) {
  std::vector<SideTable> tables;
  if (comparison.metrics.empty()) return tables;
  Traces traces(comparison, store);
  for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
    const std::size_t base = base_of(comparison, variant);
    if (base == variant) continue;
    const RunFindings* before = traces.of(base);
    const RunFindings* after = before == nullptr ? nullptr : traces.of(variant);
    if (after != nullptr) {
      tables.push_back(table_of(comparison, base, variant, *before, *after));
    }
  }
  return tables;
}

}  // namespace tacho
