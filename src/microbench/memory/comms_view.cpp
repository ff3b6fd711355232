#include "microbench/memory/comms_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.h"
#include "base/units.h"
#include "microbench/memory/memory_view.h"

namespace tacho {
namespace {

using bandwidth::Collective;
using bandwidth::CollectiveTime;
using bandwidth::CommsSurvey;
using bandwidth::GradientTime;
using bandwidth::RoundTimes;

std::string rate_words(double bytes_per_s) {
  const double rate = bytes_per_s / 1e9;
  if (rate < 0.0001) return "<0.0001";
  return fmt::format("{:.{}f}", rate, rate >= 100 ? 0 : rate >= 10 ? 1 : rate >= 0.1 ? 2 : 4);
}

// More than caches can explain: one of the two measurements was disturbed.
constexpr double kMostOfALine = 1.5;
constexpr double kMostHidden = 1.1;

// Half the difference between the slowest and the fastest round.
std::string spread_of(const RoundTimes& time) {
  const double half = (time.slowest_seconds - time.fastest_seconds) / time.seconds / 2;
  return half <= 1 ? fmt::format("±{:.0f} %", 100 * half) : kUnmeasurable;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string line_share(double share) {
  return share <= kMostOfALine ? percent(share) : kUnmeasurable;
}

std::string hidden_words(double share) {
  const bool possible = share <= kMostHidden && share >= -1;
  return possible ? percent(std::min(share, 1.0)) : kUnmeasurable;
}

std::string backend_text(const CommsSurvey& survey, DistBackend backend, const Terminal& terminal) {
  const auto ranks = static_cast<int>(survey.ranks);
  const double peak = survey.lines.peak_bytes_per_s.value_or(0);
  const bool on_line = peak > 0 && backend != DistBackend::shm;
  std::vector<Table::Heading> headings = {
      {"collective", Align::left}, {"size"},     {"time"},   {"spread"},
      {"algorithm GB/s"},          {"bus GB/s"}, {"of line"}};
  if (on_line) headings.push_back({"of peak"});
  Table table(headings);
  std::string last;
  for (const CollectiveTime& one : survey.collectives) {
    if (one.backend != backend) continue;
    const std::string name(bandwidth::kCollectives.of(one.collective));
    const double bus = one.bus_bytes_per_s(ranks);
    const double line = line_of(survey.lines, one);
    std::vector<std::string> row = {name == last ? "" : name,
                                    human(Bytes{one.bytes}),
                                    human(Seconds(one.time.seconds)),
                                    spread_of(one.time),
                                    ranks > 1 ? rate_words(one.algorithm_bytes_per_s()) : "–",
                                    ranks > 1 ? rate_words(bus) : "–",
                                    line > 0 && ranks > 1 ? line_share(bus / line) : "–"};
    if (on_line) row.push_back(line_share(bus / peak));
    table.add(std::move(row));
    last = name;
  }
  const auto latency = latency_of(survey, backend);
  return fmt::format("{}, {} rank{}{}\n", terminal.bold(std::string(kDistBackends.of(backend))),
                     ranks, ranks == 1 ? "" : "s",
                     latency ? "; a small all-reduce takes " + human(Seconds(*latency)) : "") +
         table.text(terminal) + "\n";
}

std::string gradients_text(const CommsSurvey& survey, const Terminal& terminal) {
  Table table({{"backend", Align::left},
               {"bucket"},
               {"compressed", Align::left},
               {"sent"},
               {"time"},
               {"spread"},
               {"GB/s"},
               {"work"},
               {"overlapped"},
               {"hidden"}});
  for (const GradientTime& one : survey.gradients) {
    const auto payload = static_cast<double>(one.payload_bytes);
    const auto hidden = one.hidden();
    table.add({std::string(kDistBackends.of(one.backend)), human(Bytes{one.bucket_bytes}),
               std::string(kCompressions.of(one.compress)), human(Bytes{one.wire_bytes}),
               human(Seconds(one.exchange.seconds)), spread_of(one.exchange),
               rate_words(payload / one.exchange.seconds),
               one.work_seconds ? human(Seconds(*one.work_seconds)) : "",
               one.overlapped_seconds ? human(Seconds(*one.overlapped_seconds)) : "",
               hidden ? hidden_words(*hidden) : ""});
  }
  return fmt::format("{} of {} in buckets\n", terminal.bold("gradients"),
                     human(Bytes{survey.gradients.front().payload_bytes})) +
         table.text(terminal) + "\n";
}

}  // namespace

std::string survey_text(const CommsSurvey& survey, const Terminal& terminal) {
  std::string text;
  for (const DistBackend backend : backends_of(survey)) {
    text += backend_text(survey, backend, terminal);
  }
  if (!survey.gradients.empty()) text += gradients_text(survey, terminal);
  const auto line = [&](const char* name, const std::string& words) {
    text += terminal.dim(fmt::format("{:<9}", name)) + " " + words + "\n";
  };
  line("machine", fmt::format("{}; {} rank{} on {} machine{}, {}", printable(survey.machine),
                              survey.ranks, survey.ranks == 1 ? "" : "s", survey.machines,
                              survey.machines == 1 ? "" : "s", printable(survey.facts)));
  const auto& lines = survey.lines;
  line("copy", fmt::format("{} GB/s per rank, all at once: line rate of shm",
                           rate_words(lines.copy_bytes_per_s)));
  if (lines.stream_bytes_per_s > 0) {
    line("sockets",
         fmt::format("{} GB/s in one TCP stream: line rate of a gloo broadcast; {} per rank with "
                     "all ranks sending: line rate of the other collectives",
                     rate_words(lines.stream_bytes_per_s), rate_words(lines.ring_bytes_per_s)));
  }
  if (lines.peak_bytes_per_s) {
    line("peak", fmt::format("{} GB/s, from {}", rate_words(*lines.peak_bytes_per_s),
                             printable(lines.peak_source)));
  }
  line("bus",
       "GB/s that the link of each rank carries, as defined by nccl-tests; medians of the "
       "slowest rank");
  if (survey.ranks == 1) {
    line("alone",
         "a single rank exchanges nothing: times are the cost of a call, and there are no rates");
  }
  for (const std::string& why : survey.absent) line("absent", printable(why));
  if (text.find(kUnmeasurable) != std::string::npos) {
    line(kUnmeasurable,
         "not measurable: the machine was busy, and the times contradict each other");
  }
  if (!survey.complete) line("note", "ended before everything was measured");
  line("stored", fmt::format("tacho bench show {}", printable(survey.key)));
  return text;
}

std::string surveys_table(const std::vector<CommsSurvey>& surveys, const Terminal& terminal) {
  Table table({{"survey", Align::left},
               {"ranks"},
               {"machines"},
               {"through", Align::left},
               {"all-reduce, bus GB/s"},
               {"machine", Align::left}});
  for (const CommsSurvey& survey : surveys) {
    for (const DistBackend backend : backends_of(survey)) {
      double best = 0;
      for (const CollectiveTime& one : survey.collectives) {
        if (one.backend != backend || one.collective != Collective::all_reduce) continue;
        best = std::max(best, one.bus_bytes_per_s(static_cast<int>(survey.ranks)));
      }
      table.add({printable(survey.key), std::to_string(survey.ranks),
                 std::to_string(survey.machines), std::string(kDistBackends.of(backend)),
                 best > 0 ? rate_words(best) : "–", printable(survey.machine)});
    }
  }
  return table.text(terminal);
}

}  // namespace tacho
