#include "experiments/trials/trial_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/split.h"
#include "base/table.h"
#include "experiments/compare/summary.h"

namespace tacho {
namespace {

std::string losses_text(const LossVerdict& losses) {
  switch (losses.change) {
    case LossChange::unknown:
      return "not known";
    case LossChange::same:
      return "same";
    case LossChange::as_other_seed:
      return "as with another seed";
    case LossChange::changed:
      break;
  }
  return fmt::format("differ by {} %", short_percent(losses.difference));
}

bool was_measured(const TriedChange& tried) {
  return tried.outcome < TrialOutcome::not_faster && tried.ratio;
}

std::string painted(const TriedChange& tried, const Terminal& terminal) {
  const std::string text = printable(tried.words);
  if (tried.recommended()) return terminal.green(text);
  if (tried.outcome == TrialOutcome::slower) return terminal.red(text);
  return tried.outcome == TrialOutcome::same ? text : terminal.yellow(text);
}

void add_measured(std::string& out, const TrialReport& report, const Terminal& terminal) {
  Table table(
      {{"change", Align::left}, {"time"}, {"losses", Align::left}, {"finding", Align::left}});
  table.add({"original", human(report.metric, report.original), "", ""});
  for (const TriedChange& tried : report.tried) {
    if (!was_measured(tried)) continue;
    table.add({tried.name(), human(report.metric, report.original * tried.ratio->value),
               losses_text(tried.losses), painted(tried, terminal)});
  }
  out += table.text(terminal);
}

// One line for each change with this outcome.
void add_others(std::string& out, const TrialReport& report, TrialOutcome outcome,
                const std::string& title, const Terminal& terminal) {
  std::string lines;
  for (const TriedChange& tried : report.tried) {
    if (tried.outcome != outcome) continue;
    std::string why = tried.why;
    if (outcome == TrialOutcome::not_faster || outcome == TrialOutcome::not_measured) {
      why = tried.ratio
                ? fmt::format("{:+.1f} % in the first trials", 100 * (tried.ratio->value - 1))
                : "no trial counts";
    }
    lines += fmt::format("  {}: {}\n", tried.name(), printable(why));
  }
  if (!lines.empty()) out += "\n" + terminal.bold(title) + "\n" + lines;
}

void add_advice(std::string& out, const TrialReport& report, const Terminal& terminal) {
  const TriedChange* best = report.best();
  if (best == nullptr) {
    const bool all_known = std::ranges::none_of(report.tried, [](const TriedChange& tried) {
      return tried.outcome == TrialOutcome::unclear || tried.outcome == TrialOutcome::not_measured;
    });
    out += all_known
               ? "\nNone of the changes makes it faster with the same results.\n"
               : "\nNo change was shown to make it faster with the same results; add --budget.\n";
  } else {
    out += "\n" + terminal.bold("To keep " + best->name()) + "\n";
    for (const std::string& keep : best->keep) {
      for (const std::string_view line : split(keep, '\n')) {
        out += fmt::format("  {}\n", printable(line));
      }
    }
  }
  for (const TriedChange& tried : report.tried) {
    if (tried.outcome != TrialOutcome::faster || tried.recommended()) continue;
    out += fmt::format("{} is faster, but {}.\n", tried.name(),
                       tried.losses.change == LossChange::changed
                           ? "changes the losses; compare the accuracy of whole trainings first"
                           : "its effect on the losses is not known");
  }
}

}  // namespace

std::string trial_text(const TrialReport& report, const Terminal& terminal) {
  std::string out = terminal.bold(printable(report.title)) + "\n";
  add_measured(out, report, terminal);
  add_others(out, report, TrialOutcome::not_measured, "Not measured", terminal);
  add_others(out, report, TrialOutcome::not_faster, "Not faster", terminal);
  add_others(out, report, TrialOutcome::no_effect, "Without effect", terminal);
  add_others(out, report, TrialOutcome::failed, "Failed", terminal);
  add_advice(out, report, terminal);
  if (!report.notes.empty()) out += "\n";
  for (const std::string& note : report.notes)
    out += terminal.dim("note: " + printable(note)) + "\n";
  return out;
}

std::string change_list(std::span<const TrialChange> changes, const Terminal& terminal) {
  Table table({{"change", Align::left}, {"for", Align::left}, {"what", Align::left}});
  for (const TrialChange& change : changes) {
    const char* where = change.where == TrialChange::Where::gpu   ? " on GPUs"
                        : change.where == TrialChange::Where::cpu ? " on processors"
                                                                  : "";
    table.add({change.name, (change.in_python ? "PyTorch" : "any program") + std::string(where),
               change.help});
  }
  return table.text(terminal);
}

}  // namespace tacho
