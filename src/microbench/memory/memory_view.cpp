#include "microbench/memory/memory_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/table.h"
#include "base/units.h"

namespace tacho {
namespace {

using bandwidth::Measurement;
using bandwidth::Survey;

std::string bandwidth_words(double bytes_per_s) {
  const double rate = bytes_per_s / 1e9;
  return rate >= 1000 ? human_count(rate) : fmt::format("{:.{}f}", rate, rate >= 100 ? 0 : 1);
}

// Half the difference between the slowest and the fastest pass.
std::string spread_words(const Measurement& m) {
  const double half = (m.slowest_seconds - m.fastest_seconds) / m.seconds / 2;
  return half <= 1 ? fmt::format("±{:.0f} %", 100 * half) : kUnmeasurable;
}

std::string share_words(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string times_words(double factor) {
  return fmt::format("{:.{}f}×", factor, factor >= 10 ? 0 : 2);
}

std::string ratio_words(double ratio) { return fmt::format("{:.2f}", ratio); }

// A column for hardware counters, shown if any form of a level has them.
struct CountColumn {
  const char* heading;
  const char* meaning;
  std::optional<double> (*figure)(const Measurement&);
  std::string (*words)(double);
};
constexpr auto kCountColumns = std::to_array<CountColumn>({
    {"missed", "64 bytes per last-level cache miss, over the necessary bytes",
     bandwidth::missed_share, times_words},
    {"memory", "bytes moved by the memory controllers, over the necessary bytes",
     bandwidth::memory_share, times_words},
    {"instr/cycle", "of all threads", bandwidth::instructions_per_cycle, ratio_words},
});

// Returns the columns of one level; of all levels for "".
std::vector<CountColumn> columns_with_counts(const Survey& survey, const std::string& level) {
  std::vector<CountColumn> columns;
  for (const CountColumn& column : kCountColumns) {
    const bool any = std::ranges::any_of(survey.measurements, [&](const Measurement& m) {
      return (level.empty() || m.level == level) && column.figure(m).has_value();
    });
    if (any) columns.push_back(column);
  }
  return columns;
}

std::string level_text(const Survey& survey, const std::string& level, const Terminal& terminal) {
  const Measurement& ceiling = *ceiling_at(survey, level);
  const bool on_cpu = survey.device == "cpu";
  std::vector<Table::Heading> headings = {{"operation", Align::left},
                                          {"form", Align::left},
                                          {on_cpu ? "threads" : "type"},
                                          {"GB/s"},
                                          {"spread"},
                                          {"of ceiling"}};
  const double peak = level == "memory" ? survey.theoretical_bytes_per_s.value_or(0) : 0;
  if (peak > 0) headings.push_back({"of peak"});
  headings.push_back({"bytes"});
  const auto counted = columns_with_counts(survey, level);
  for (const CountColumn& column : counted) headings.push_back({column.heading});
  headings.push_back({"loss", Align::left});
  Table table(headings);
  std::string operation;
  for (const Measurement& m : survey.measurements) {
    if (m.level != level) continue;
    const std::string name(bandwidth::kOperations.of(m.operation));
    std::vector<std::string> row = {name == operation ? "" : name,
                                    printable(m.form),
                                    on_cpu ? std::to_string(m.threads) : printable(m.element),
                                    bandwidth_words(m.bytes_per_s()),
                                    spread_words(m),
                                    share_words(m.bytes_per_s() / ceiling.bytes_per_s())};
    if (peak > 0) row.push_back(share_words(m.bytes_per_s() / peak));
    row.push_back(times_words(m.excess()));
    for (const CountColumn& column : counted) {
      const auto figure = column.figure(m);
      row.push_back(figure ? column.words(*figure) : "–");
    }
    row.push_back(printable(loss_of(m, ceiling).words));
    table.add(std::move(row));
    operation = name;
  }
  return fmt::format("{}, {} in total; ceiling {} GB/s: {}, {}\n", terminal.bold(printable(level)),
                     human(Bytes{ceiling.set_bytes}), bandwidth_words(ceiling.bytes_per_s()),
                     bandwidth::kOperations.of(ceiling.operation), printable(ceiling.form)) +
         table.text(terminal) + "\n";
}

}  // namespace

std::string survey_text(const Survey& survey, const Terminal& terminal) {
  std::string text;
  for (const std::string& level : levels_of(survey)) text += level_text(survey, level, terminal);
  const auto line = [&](const char* name, const std::string& words) {
    text += terminal.dim(fmt::format("{:<9}", name)) + " " + words + "\n";
  };
  line("machine", printable(survey.machine) + "; " + printable(survey.facts));
  line("peak", survey.theoretical_bytes_per_s
                   ? bandwidth_words(*survey.theoretical_bytes_per_s) + " GB/s, from the data sheet"
                   : "unknown; set it with --peak, in GB/s");
  if (text.find(kUnmeasurable) != std::string::npos) {
    line(kUnmeasurable, "not measurable: the machine was busy, passes differ by more than 100 %");
  }
  line("bytes", "moved by design over necessary; rates are medians and count the necessary ones");
  for (const CountColumn& column : columns_with_counts(survey, "")) {
    line("counted", fmt::format("{}: {}; mean per pass", column.heading, column.meaning));
  }
  if (!survey.uncounted.empty()) line("counted", printable(survey.uncounted));
  if (!survey.complete) line("note", "ended before all forms were measured");
  line("stored", fmt::format("tacho bench show {}", printable(survey.key)));
  return text;
}

std::string surveys_table(const std::vector<Survey>& surveys, const Terminal& terminal) {
  Table table({{"survey", Align::left},
               {"device", Align::left},
               {"memory GB/s"},
               {"forms"},
               {"machine", Align::left}});
  for (const Survey& survey : surveys) {
    const Measurement* ceiling = ceiling_at(survey, "memory");
    table.add({printable(survey.key), printable(survey.device),
               ceiling == nullptr ? "–" : bandwidth_words(ceiling->bytes_per_s()),
               std::to_string(survey.measurements.size()), printable(survey.machine)});
  }
  return table.text(terminal);
}

}  // namespace tacho
