#include "tracing/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/units.h"
#include "base/version.h"
#include "core/record/disturbance.h"
#include "core/record/outcome.h"
#include "core/record/usage_rates.h"
#include "tracing/report/advice.h"
#include "tracing/report/html_page.h"
#include "tracing/report/html_text.h"
#include "tracing/report/report_tables.h"
#include "tracing/report/step_breakdown.h"
#include "tracing/report/svg_chart.h"
#include "tracing/report/text_report.h"
#include "tracing/report/words.h"

namespace tacho {
namespace {

constexpr std::size_t kPageRows = 40;
constexpr std::size_t kRoofPoints = 12;

std::string heading(const RunFindings& run) {
  const RunRecord& record = run.record;
  const bool ok = record.outcome == Outcome::ok;
  std::string out = fmt::format(
      "<header><h1>Run {}: {}</h1><p><span class=\"{}\">{}</span> <span class=\"soft\">{} {}"
      "</span></p></header>\n",
      run.id, html_text(run_title(record)), ok ? "ok" : "bad", kOutcomes.of(record.outcome),
      html_text(record.order.key), html_text(record.reason));
  if (!record.disturbed.empty()) {
    out += fmt::format("<p class=\"bad\">Disturbed: {}</p>\n",
                       html_text(disturbance_text(record.disturbed)));
  }
  if (record.started) {
    const Host& host = record.started->host;
    out += fmt::format("<p class=\"soft\">{}{}{}</p>\n", html_text(host.cpu),
                       host.gpu.empty() ? "" : ", ", html_text(host.gpu));
  }
  if (record.environment) {
    out += fmt::format("<p class=\"soft\">{}</p>\n", html_text(in_words(*record.environment)));
  }
  return out;
}

std::string tile(std::string_view name, std::string_view value) {
  return fmt::format("<div class=\"tile\"><span class=\"soft\">{}</span><b>{}</b></div>",
                     html_text(name), html_text(value));
}

std::string tiles(const RunFindings& run, const std::optional<StepBreakdown>& step) {
  std::string out = "<div class=\"tiles\">";
  if (step) {
    out += tile("step, median", human(Seconds(step->seconds)));
    out += step->samples_per_s > 0 ? tile("samples/s", human_count(std::round(step->samples_per_s)))
                                   : tile("steps/s", fmt::format("{:.4g}", 1 / step->seconds));
    out += tile("steps", human_count(static_cast<double>(step->count)));
  }
  if (const GpuFindings* gpu = run.gpu(); gpu != nullptr && !gpu->steps.begins_ns.empty()) {
    out += tile("GPU busy in a step", percent(gpu->signs.gpu_busy_share));
  }
  if (run.used) {
    out += tile("cores in use", fmt::format("{:.2f}", run.used->mean_cores));
    out += tile("run memory", human(Bytes{run.used->peak_resident_bytes}));
  }
  if (run.record.totals.peak_memory_bytes > 0) {
    out += tile("peak memory", human(Bytes{run.record.totals.peak_memory_bytes}));
  }
  if (run.record.totals.wall_seconds > 0) {
    out += tile("wall time", human(Seconds(run.record.totals.wall_seconds)));
  }
  return out + "</div>\n";
}

std::string parts(const StepBreakdown& step) {
  if (step.parts.empty()) return "";
  std::string out =
      "<h2>Where a step's time goes</h2>\n" + parts_bar(step.parts) + "<ul class=\"legend\">";
  for (const StepPart& part : step.parts) {
    out += fmt::format(
        "<li><i class=\"part-{}\"></i>{} <b>{}</b> <span class=\"soft\">{}</span>"
        "</li>",
        part.key, html_text(part.title), percent(part.share), human(Seconds(part.seconds)));
  }
  return out + fmt::format("</ul><p class=\"soft\">Steps {}.</p>\n", html_text(step.source));
}

std::string advice_card(const Advice& advice) {
  std::string out = fmt::format("<div class=\"card\"><h3>{}</h3>", html_text(advice.title));
  if (advice.key != "none") {
    out += fmt::format(
        "<p class=\"saving\">saves {} of the time ({} to {})</p><div class=\"gauge\">"
        "<u style=\"left:{:.1f}%;width:{:.1f}%\"></u><i style=\"left:{:.1f}%\"></i></div>",
        percent(advice.saving), percent(advice.range.low), percent(advice.range.high),
        100 * advice.range.low, 100 * (advice.range.high - advice.range.low), 100 * advice.saving);
  }
  if (!advice.action.empty()) out += fmt::format("<p>{}</p>", html_text(advice.action));
  return out + fmt::format("<p class=\"soft\">{}</p></div>\n", html_text(advice.evidence));
}

std::string advice_cards(const RunFindings& run) {
  std::string out = "<h2>What to change</h2>\n<div class=\"cards\">\n";
  for (const Advice& advice : advise(run)) out += advice_card(advice);
  return out + "</div>\n";
}

std::string step_chart(const StepBreakdown& step) {
  LineChart chart{.title = "Step times", .y = step.series_s};
  for (std::size_t i = 0; i < step.series_s.size(); ++i) {
    chart.x.push_back(static_cast<double>(i + 1));
  }
  if (chart.y.empty()) return "";
  // Scaled so that one slow first step does not flatten all others.
  std::vector<double> sorted = chart.y;
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[sorted.size() * 98 / 100];
  chart.y_top = std::min(sorted.back() * 1.05, usual * 2);
  chart.x_low = "1";
  chart.x_high = "step " + human_count(static_cast<double>(chart.y.size()));
  chart.y_high = human(Seconds(chart.y_top));
  chart.now = "median " + human(Seconds(step.seconds));
  if (sorted.back() > chart.y_top) chart.now += ", slowest " + human(Seconds(sorted.back()));
  return line_chart(chart);
}

using Sampled = std::function<double(const UsageSample&)>;
using Spelled = std::function<std::string(double)>;

std::string usage_chart(const UsageLog& log, std::string_view title, const Sampled& value,
                        const Spelled& words, double top = 0) {
  LineChart chart{.title = title, .y_top = top};
  const double begin = log.samples.front().unix_seconds;
  double highest = 0;
  for (const UsageSample& sample : log.samples) {
    chart.x.push_back(sample.unix_seconds - begin);
    chart.y.push_back(value(sample));
    highest = std::max(highest, chart.y.back());
  }
  if (chart.y_top <= 0) chart.y_top = std::max(highest * 1.05, 1e-9);
  chart.x_low = "0 s";
  chart.x_high = human(Seconds(chart.x.back()));
  chart.y_high = words(chart.y_top);
  chart.now = "at most " + words(highest);
  return line_chart(chart);
}

// CPU time is a counter: its growth over about a second is the number of cores in use.
std::string cores_chart(const UsageLog& log) {
  UsageLog rates;
  constexpr double kWindow = 1;
  std::size_t from = 0;
  for (std::size_t i = 1; i < log.samples.size(); ++i) {
    UsageSample at = log.samples[i];
    while (from + 1 < i && at.unix_seconds - log.samples[from + 1].unix_seconds >= kWindow) ++from;
    const UsageSample& before = log.samples[from];
    const auto cores = cores_between(before, at, log.facts ? log.facts->cores : 0);
    if (!cores) continue;
    at.user_s = *cores;
    rates.samples.push_back(std::move(at));
  }
  if (rates.samples.empty()) return "";
  return usage_chart(
      rates, "Cores in use", [](const UsageSample& s) { return s.user_s; },
      [](double cores) { return fmt::format("{:.3g} cores", cores); });
}

// GPUs are sampled less often than processes.
UsageLog gpu_samples(const UsageLog& all) {
  UsageLog log;
  for (const UsageSample& sample : all.samples) {
    if (!sample.gpus.empty()) log.samples.push_back(sample);
  }
  return log;
}

// The driver measures activity at its own intervals, so that many samples have no value.
std::string busy_chart(const UsageLog& all, std::size_t gpu, const std::string& name) {
  UsageLog log;
  for (const UsageSample& sample : all.samples) {
    if (gpu < sample.gpus.size() && sample.gpus[gpu].busy) log.samples.push_back(sample);
  }
  if (log.samples.size() < 2) return "";
  return usage_chart(
      log, name, [gpu](const UsageSample& sample) { return *sample.gpus[gpu].busy; },
      [](double share) { return percent(share); }, 1);
}

std::string gpu_charts(const UsageLog& all) {
  const UsageLog log = gpu_samples(all);
  if (log.samples.size() < 2) return "";
  std::string out;
  for (std::size_t g = 0; g < log.samples.front().gpus.size(); ++g) {
    const GpuSample& first = log.samples.front().gpus[g];
    const std::string name = fmt::format("GPU {}", first.index);
    const auto of = [g](auto member) {
      return [g, member](const UsageSample& sample) {
        return g < sample.gpus.size() ? static_cast<double>(sample.gpus[g].*member) : 0.0;
      };
    };
    out += busy_chart(log, g, name + " busy");
    out += usage_chart(
        log, name + " memory", of(&GpuSample::memory_bytes),
        [](double bytes) { return human(Bytes{static_cast<std::int64_t>(bytes)}); },
        static_cast<double>(first.memory_total_bytes));
    out += usage_chart(log, name + " power", of(&GpuSample::watts),
                       [](double watts) { return fmt::format("{:.0f} W", watts); });
    out += usage_chart(
        log, name + " clock", of(&GpuSample::sm_mhz),
        [](double mhz) { return fmt::format("{:.0f} MHz", mhz); }, first.sm_max_mhz);
  }
  return out;
}

std::string charts(const RunFindings& run, const std::optional<StepBreakdown>& step) {
  std::string out;
  if (step) out += step_chart(*step);
  if (run.usage && !run.usage->samples.empty()) {
    out += cores_chart(*run.usage);
    out += usage_chart(
        *run.usage, "Memory",
        [](const UsageSample& s) { return static_cast<double>(s.resident_bytes); },
        [](double bytes) { return human(Bytes{static_cast<std::int64_t>(bytes)}); });
    out += gpu_charts(*run.usage);
  }
  if (const auto roof = roofline_of(run)) out += roofline_chart(*roof, kRoofPoints);
  return out.empty() ? "" : "<h2>Charts</h2>\n<div class=\"charts\">\n" + out + "</div>\n";
}

std::string used_lines(const RunFindings& run) {
  std::string out;
  for (const auto& [name, words] : usage_lines(run)) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(name), html_text(words));
  }
  for (const AbsentPart& part : run.absent) {
    out += fmt::format("<dt>no {}</dt><dd>{}</dd>\n", html_text(part.part), html_text(part.why));
  }
  return out.empty() ? "" : "<h2>Resource usage</h2>\n<dl>\n" + out + "</dl>\n";
}

std::string table(const ReportTable& table) {
  std::string out =
      fmt::format("<h2>{}</h2>\n", html_text(table.title)) + html_table(table.headings, table.rows);
  if (!table.note.empty()) out += fmt::format("<p class=\"note\">{}</p>\n", html_text(table.note));
  return out;
}

}  // namespace

std::string html_report(const RunFindings& run) {
  const auto step = step_breakdown_of(run);
  std::string out = heading(run) + tiles(run, step);
  if (step) out += parts(*step);
  out += advice_cards(run) + charts(run, step) + used_lines(run);
  for (const ReportTable& detail : report_tables(run, kPageRows)) out += table(detail);
  return report_page(fmt::format("Run {}: {}", run.id, run_title(run.record)), "", out,
                     fmt::format("tacho {} ({})", kVersion, kCommit));
}

}  // namespace tacho
