#include "cli/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/split.h"
#include "base/table.h"
#include "base/units.h"
#include "base/wrapped_text.h"
#include "cli/load_view.h"
#include "core/record/disturbance.h"
#include "core/record/model_catalog.h"
#include "core/record/rank_figures.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

std::string outcome_words(const RunRecord& record, const Terminal& terminal) {
  const std::string word(kOutcomes.of(record.outcome));
  switch (record.outcome) {
    case Outcome::ok:
      return terminal.green(word);
    case Outcome::running:
      return terminal.yellow(word);
    case Outcome::out_of_memory:
    case Outcome::failed:
    case Outcome::cancelled:
    case Outcome::timed_out:
      break;
  }
  return terminal.red(word);
}

// Of a language model.
std::string perplexity_table(const RunRecord& record, const Terminal& terminal) {
  Table table({{"epoch"},
               {"train loss"},
               {"eval loss"},
               {"perplexity"},
               {"next token"},
               {"train"},
               {"eval"}});
  for (const EpochDone& epoch : record.epochs) {
    table.add({std::to_string(epoch.epoch), fmt::format("{:.4f}", epoch.train_loss),
               fmt::format("{:.4f}", epoch.eval_loss),
               fmt::format("{:.4g}", std::exp(epoch.eval_loss)), human_share(epoch.top1),
               human(Seconds(epoch.train_seconds)), human(Seconds(epoch.eval_seconds))});
  }
  return table.text(terminal);
}

std::string epoch_table(const RunRecord& record, const Terminal& terminal) {
  if (tokens_per_sample(record.order.spec)) return perplexity_table(record, terminal);
  Table table({{"epoch"},
               {"train loss"},
               {"train top-1"},
               {"eval loss"},
               {"top-1"},
               {"top-5"},
               {"train"},
               {"eval"}});
  for (const EpochDone& epoch : record.epochs) {
    table.add({std::to_string(epoch.epoch), fmt::format("{:.4f}", epoch.train_loss),
               human_share(epoch.train_top1), fmt::format("{:.4f}", epoch.eval_loss),
               human_share(epoch.top1), human_share(epoch.top5),
               human(Seconds(epoch.train_seconds)), human(Seconds(epoch.eval_seconds))});
  }
  return table.text(terminal);
}

constexpr std::size_t kTextColumn = 10;  // after a name

void add_line(std::string& out, const Terminal& terminal, const char* name,
              const std::string& text) {
  out += terminal.dim(fmt::format("{:<{}}", name, kTextColumn - 1)) + " " + text + "\n";
}

void add_speed(std::string& out, const Terminal& terminal, const RunRecord& record) {
  const auto steady = record.steps.steady_seconds();
  const double step = median(steady);
  add_line(out, terminal, "step",
           fmt::format("{}, quartiles {} to {} of {} steady steps", human(Seconds(step)),
                       human(Seconds(quantile(steady, 0.25))),
                       human(Seconds(quantile(steady, 0.75))), human_count(steady.size())));
  const auto tokens = tokens_per_sample(record.order.spec);
  const std::int64_t per_step = record.samples_per_step() * tokens.value_or(1);
  add_line(out, terminal, "speed",
           fmt::format("{} {}/s, {} of the time waiting for input",
                       human_count(std::round(static_cast<double>(per_step) / step)),
                       tokens ? "tokens" : "samples",
                       human_share(mean(record.steps.steady_input_seconds()) / mean(steady))));
}

std::string rank_table(const RunRecord& record, const Terminal& terminal) {
  Table table({{"rank"},
               {"step"},
               {"input"},
               {"backward"},
               {"comm"},
               {"waiting"},
               {"sent"},
               {"host", Align::left}});
  for (const RankFigures& rank : rank_figures_of(record)) {
    const auto info = std::find_if(record.ranks->ranks.begin(), record.ranks->ranks.end(),
                                   [&](const RankInfo& r) { return r.rank == rank.rank; });
    table.add({std::to_string(rank.rank), human(Seconds(rank.step_seconds)),
               human(Seconds(rank.input_seconds)), human(Seconds(rank.backward_seconds)),
               human(Seconds(rank.comm_seconds)), human(Seconds(rank.exposed_seconds)),
               human(Bytes{static_cast<std::int64_t>(rank.wire_bytes)}),
               info == record.ranks->ranks.end() ? "" : printable(info->host)});
  }
  return table.empty() ? "" : table.text(terminal) + "\n";
}

void add_ranks(std::string& out, const Terminal& terminal, const RunRecord& record) {
  std::set<std::int64_t> nodes;
  for (const RankInfo& rank : record.ranks->ranks) nodes.insert(rank.node);
  add_line(out, terminal, "ranks",
           fmt::format("{} on {} node{} by {}, {} samples/step; rendezvous {}",
                       record.ranks->ranks.size(), nodes.size(), nodes.size() == 1 ? "" : "s",
                       printable(record.ranks->backend),
                       human_count(static_cast<double>(record.samples_per_step())),
                       human(Seconds(record.ranks->seconds))));
  if (const auto comm = comm_figures_of(record)) {
    add_line(out, terminal, "comm",
             fmt::format("{} per step, {} hidden; {} sent at {}/s", human(Seconds(comm->seconds)),
                         human_share(comm->hidden_share),
                         human(Bytes{static_cast<std::int64_t>(comm->wire_bytes)}),
                         human(Bytes{static_cast<std::int64_t>(comm->bytes_per_second)})));
  }
  if (const auto slow = straggler_of(record)) {
    add_line(out, terminal, "straggler",
             fmt::format("rank {} in {} of the steps; the others wait {} for it", slow->rank,
                         human_share(slow->share_of_steps), human(Seconds(slow->seconds))));
  }
}

// Shows the environment unless it is the default.
void add_environment(std::string& out, const Terminal& terminal, const RunRecord& record) {
  if (!record.environment || record.order.environment == EnvironmentSpec{}) return;
  add_line(out, terminal, "env", printable(in_words(*record.environment)));
}

// Shows the start and the end of the container.
void add_start(std::string& out, const Terminal& terminal, const RunRecord& record) {
  if (record.order.environment.kind == EnvironmentKind::bare) return;
  std::string text;
  for (const auto& [metric, value] : metrics_of(record)) {
    const bool is_overhead = metric->key == metric::kImageStartS.key ||
                             metric->key == metric::kProcessStartS.key ||
                             metric->key == metric::kImageEndS.key;
    if (!is_overhead) continue;
    text += (text.empty() ? "" : ", ") + std::string(metric->title) + " " + human(*metric, value);
  }
  if (!text.empty()) add_line(out, terminal, "overhead", text);
}

std::string what_ran(const RunOrder& order) {
  if (order.command) return headline(*order.command);
  const RunSpec& spec = order.spec;
  return fmt::format("{} on {}, batch {}, seed {}", spec.model, spec.data, spec.batch, spec.seed);
}

// Shows the last value of each figure of a watched program.
void add_figures(std::string& out, const Terminal& terminal, const RunRecord& record) {
  constexpr std::size_t kMost = 8;
  std::map<std::string, std::pair<double, std::int64_t>> last;
  for (const FiguresSeen& seen : record.figures) {
    for (const auto& [name, value] : seen.values) {
      auto& [latest, count] = last[name];
      latest = value;
      ++count;
    }
  }
  std::size_t shown = 0;
  for (const auto& [name, value] : last) {
    if (++shown > kMost) break;
    add_line(
        out, terminal, shown == 1 ? "figures" : "",
        fmt::format("{} = {:g} (last of {} values)", printable(name), value.first, value.second));
  }
  if (last.size() > kMost) {
    add_line(out, terminal, "", fmt::format("and {} more figures", last.size() - kMost));
  }
}

void add_description(std::string& out, const Terminal& terminal, const RunRecord& record) {
  const auto columns = static_cast<std::size_t>(terminal.columns());
  const auto add = [&](const char* label, const std::string& text) {
    if (text.empty()) return;
    std::string lines = printable(text);
    if (kTextColumn + display_width(lines) > columns) {
      lines = hanging(lines, kTextColumn, columns);
      lines.pop_back();
    }
    add_line(out, terminal, label, lines);
  };
  add("name", record.name());
  add("project", record.project());
  add("tags", fmt::format("{}", fmt::join(record.tags(), ", ")));
  if (record.edits) {
    const char* label = "notes";
    const std::string notes = record.edits->notes.value_or("");
    for (const std::string_view line : split(notes, '\n')) {
      add(std::exchange(label, ""), std::string(line));
    }
    if (record.edits->archived) add("archived", "yes");
  }
  if (!record.described) return;
  std::vector<std::string> config;
  for (const auto& [name, value] : record.described->config) config.push_back(name + "=" + value);
  add("config", fmt::format("{}", fmt::join(config, ", ")));
}

std::string_view source_of(const StepsFound& found) {
  if (found.printed) return "printed by the program";
  return found.on_gpu() ? "found in the GPU's work" : "marked by the program";
}

void add_found_steps(std::string& out, const Terminal& terminal, const RunRecord& record) {
  const StepsFound& found = *record.found_steps;
  add_line(out, terminal, "step",
           fmt::format("{}, quartiles {} to {} of {} steps {}", human(Seconds(found.period_s)),
                       human(Seconds(found.p25_s)), human(Seconds(found.p75_s)),
                       human_count(static_cast<double>(found.steps)), source_of(found)));
  if (record.samples_per_step() == 0) return;
  add_line(out, terminal, "speed",
           fmt::format("{} samples/s",
                       human_count(std::round(static_cast<double>(record.samples_per_step()) /
                                              found.period_s))));
}

}  // namespace

std::string run_report(std::int64_t id, const RunRecord& record, const Terminal& terminal) {
  std::string out = fmt::format("{}  {}  {}\n", terminal.bold(fmt::format("run {}", id)),
                                what_ran(record.order), outcome_words(record, terminal));
  if (!record.reason.empty()) out += "  " + printable(record.reason) + "\n";
  if (!record.disturbed.empty()) {
    out += terminal.yellow(wrapped("disturbed " + printable(disturbance_text(record.disturbed)), 80,
                                   std::string(kTextColumn, ' ')));
  }
  if (!record.epochs.empty()) out += "\n" + epoch_table(record, terminal) + "\n";
  if (record.ranks) out += (record.epochs.empty() ? "\n" : "") + rank_table(record, terminal);
  if (!record.steps.seconds.empty()) add_speed(out, terminal, record);
  add_description(out, terminal, record);
  if (record.found_steps) add_found_steps(out, terminal, record);
  if (record.load) {
    out += "\n" + load_lines(*record.load, terminal);
  } else {
    add_figures(out, terminal, record);
  }
  if (record.ranks) add_ranks(out, terminal, record);
  if (record.totals.wall_seconds > 0) {
    const std::string first_step =
        record.model ? fmt::format(", {} to first step", human(Seconds(record.startup_seconds)))
                     : "";
    add_line(
        out, terminal, "time",
        fmt::format("{} in total{}; user {}, system {}", human(Seconds(record.totals.wall_seconds)),
                    first_step, human(Seconds(record.totals.user_seconds)),
                    human(Seconds(record.totals.system_seconds))));
  }
  add_start(out, terminal, record);
  if (record.totals.peak_memory_bytes > 0) {
    std::string words = "peak " + human(Bytes{record.totals.peak_memory_bytes});
    const auto all = record.usage.find(std::string(metric::kTreeMemory.key));
    if (all != record.usage.end() && all->second > 0) {
      words += fmt::format(" in the largest process, {} in total",
                           human(Bytes{std::llround(all->second)}));
    }
    add_line(out, terminal, "memory", words);
  }
  add_environment(out, terminal, record);
  if (record.started) {
    const RunStarted& s = *record.started;
    const std::string used = record.order.command ? fmt::format("{} cores", s.host.cores)
                                                  : fmt::format("{} threads", s.paths.threads);
    add_line(out, terminal, "machine",
             fmt::format("{}, {}, {}", s.host.cpu, used, s.host.environment));
    if (!s.torch_version.empty()) {
      add_line(out, terminal, "torch",
               fmt::format("{}, {}, {:.0f} GFLOP/s, paths {}", s.torch_version, s.paths.blas,
                           s.paths.product_gflops, s.paths.why));
    }
  }
  if (record.order.spec.ops)
    add_line(out, terminal, "operators", fmt::format("tacho report {}", id));
  for (const std::string& note : record.notes) add_line(out, terminal, "note", printable(note));
  return out;
}

}  // namespace tacho
