#include "tracing/report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/table.h"
#include "base/units.h"
#include "core/record/disturbance.h"
#include "core/record/outcome.h"
#include "tracing/report/advice.h"
#include "tracing/report/report_tables.h"
#include "tracing/report/step_breakdown.h"
#include "tracing/report/words.h"

namespace tacho {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kTableRows = 12;

// Breaks at spaces; every line but the first begins with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, space - at);
    const std::size_t width = display_width(word);
    if (column > indent && column + 1 + width > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
    at = space + 1;
  }
  return out;
}

void add_line(std::string& out, const Terminal& terminal, std::string_view name,
              std::string_view text) {
  out += terminal.dim(fmt::format("{:<9}", name)) + " " + wrapped(printable(text), 10) + "\n";
}

std::string outcome_words(const RunRecord& record, const Terminal& terminal) {
  const std::string word(kOutcomes.of(record.outcome));
  if (record.outcome == Outcome::ok) return terminal.green(word);
  return record.outcome == Outcome::running ? terminal.yellow(word) : terminal.red(word);
}

void add_headline(std::string& out, const RunFindings& run, const Terminal& terminal) {
  out += terminal.bold(fmt::format("run {}", run.id)) + "  " +
         wrapped(printable(run_title(run.record)), 10) + "  " +
         outcome_words(run.record, terminal) + "\n";
  if (!run.record.reason.empty()) add_line(out, terminal, "", run.record.reason);
  if (!run.record.disturbed.empty()) {
    add_line(out, terminal, "disturbed", disturbance_text(run.record.disturbed));
  }
  if (run.record.environment && run.record.order.environment != EnvironmentSpec{}) {
    add_line(out, terminal, "env", in_words(*run.record.environment));
  }
}

void add_speed(std::string& out, const StepBreakdown& step, const Terminal& terminal) {
  add_line(
      out, terminal, "step",
      fmt::format("median {}, quartiles {} to {} of {} steps; {}", human(Seconds(step.seconds)),
                  human(Seconds(step.p25_s)), human(Seconds(step.p75_s)),
                  human_count(static_cast<double>(step.count)), step.source));
  if (step.samples_per_s > 0) {
    add_line(out, terminal, "speed",
             fmt::format("{} samples/s", human_count(std::round(step.samples_per_s))));
  } else {
    add_line(out, terminal, "speed", fmt::format("{:.4g} steps/s", 1 / step.seconds));
  }
}

// One letter per part, repeated by its share.
std::string bar(const StepBreakdown& step) {
  std::string out;
  double end = 0;
  for (const StepPart& part : step.parts) {
    end += part.share;
    const double until = std::min(1.0, end) * static_cast<double>(kColumns - 4);
    while (static_cast<double>(out.size()) + 0.5 < until) out += part.letter;
  }
  return out;
}

void add_parts(std::string& out, const StepBreakdown& step, const Terminal& terminal) {
  if (step.parts.empty()) return;
  out += "\n" + terminal.bold("Where a step's time goes") +
         terminal.dim(" (mean shares of the median step)") + "\n  " + bar(step) + "\n";
  constexpr std::size_t kEach = 38;
  std::size_t column = 0;
  for (const StepPart& part : step.parts) {
    const std::string cell = fmt::format("  {} {:<20}{:>6} {:>8}", part.letter, part.title,
                                         percent(part.share), human(Seconds(part.seconds)));
    out += column > 0 ? cell + "\n" : cell;
    if (column == 0) out.append(kEach - std::min(kEach, display_width(cell)), ' ');
    column = 1 - column;
  }
  if (column > 0) {
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
}

void add_advice(std::string& out, const RunFindings& run, const Terminal& terminal) {
  constexpr std::size_t kShown = 4;
  const auto all = advise(run);
  out += "\n" + terminal.bold("What to change") + "\n";
  if (all.size() > 1) out += terminal.dim("  Each saving assumes the changes above it.") + "\n";
  for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i) {
    const Advice& advice = all[i];
    if (advice.key == "none") {
      out += "  " + wrapped(advice.title + ": " + advice.evidence, 2) + "\n";
      continue;
    }
    const std::string saving = fmt::format("saves {} ({} to {})", percent(advice.saving),
                                           percent(advice.range.low), percent(advice.range.high));
    out += fmt::format("{:>2}. ", i + 1) + terminal.bold(wrapped(printable(advice.title), 4)) +
           "\n    " + terminal.green(saving) + "\n    " +
           "change:   " + wrapped(printable(advice.action), 14) + "\n    " +
           terminal.dim("evidence: " + wrapped(printable(advice.evidence), 14)) + "\n";
  }
  if (all.size() > kShown) {
    out += terminal.dim(
               fmt::format("    {} more with smaller savings: see --json", all.size() - kShown)) +
           "\n";
  }
}

void add_absent(std::string& out, const RunFindings& run, const Terminal& terminal) {
  for (const AbsentPart& part : run.absent) {
    out +=
        terminal.dim(wrapped(printable(fmt::format("no {}: {}", part.part, part.why)), 2)) + "\n";
  }
}

// `columns` must be sorted.
template <class Cell>
std::vector<Cell> without(const std::vector<Cell>& cells, const std::vector<std::size_t>& columns) {
  std::vector<Cell> kept;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!std::binary_search(columns.begin(), columns.end(), i)) kept.push_back(cells[i]);
  }
  return kept;
}

// Shortens the last column, which may be a kernel's name, to the remaining width.
void add_table(std::string& out, const ReportTable& table, const Terminal& terminal) {
  const auto headings = without(table.headings, table.wide);
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) rows.push_back(without(row, table.wide));
  std::size_t before = 0;
  for (std::size_t i = 0; i + 1 < headings.size(); ++i) {
    std::size_t width = display_width(headings[i].title);
    for (const auto& row : rows) width = std::max(width, display_width(row[i]));
    before += width + 2;
  }
  const auto columns = static_cast<std::size_t>(terminal.columns());
  const std::size_t left = columns > before + 16 ? columns - before : 16;
  Table shown(headings);
  for (auto& row : rows) {
    row.back() = shortened(printable(row.back()), left);
    shown.add(std::move(row));
  }
  out += "\n" + terminal.bold(printable(table.title)) + "\n" + shown.text(terminal);
  if (!table.note.empty()) out += terminal.dim(printable(table.note)) + "\n";
}

}  // namespace

std::string run_title(const RunRecord& record) {
  const std::string name = record.name();
  const RunSpec& spec = record.order.spec;
  const std::string what =
      record.order.command ? headline(*record.order.command, name.empty() ? 200 : 60)
                           : fmt::format("{} on {}, batch {}", spec.model, spec.data, spec.batch);
  return name.empty() ? what : fmt::format("{} ({})", name, what);
}

std::string text_report(const RunFindings& run, const Terminal& terminal) {
  std::string out;
  add_headline(out, run, terminal);
  if (const auto step = step_breakdown_of(run)) {
    add_speed(out, *step, terminal);
    add_parts(out, *step, terminal);
  } else {
    add_line(out, terminal, "step", "no step was recorded or found");
  }
  add_advice(out, run, terminal);
  out += "\n";
  for (const auto& [name, words] : usage_lines(run)) add_line(out, terminal, name, words);
  add_absent(out, run, terminal);
  for (const ReportTable& table : report_tables(run, kTableRows)) add_table(out, table, terminal);
  return out;
}

}  // namespace tacho
