#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/home.h"
#include "base/shell_words.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/target_option.h"
#include "experiments/predictions/sweep_advisor.h"
#include "experiments/sweep/plan.h"

namespace tacho {
namespace {

struct NextOptions {
  std::string handle;
  std::size_t count = 5;
  std::string metric;
  std::string target;
  bool json = false;
};

std::string value_text(const SweepGoal& goal, double value) {
  return goal.target ? human(Seconds(value)) : human(*goal.metric, value);
}

std::string command_of(const SweepTask& task) {
  if (task.asked.command) return shell_quoted(task.asked.command->argv);
  std::vector<std::string> words = {"tacho", "train"};
  if (const std::string* model = task.configuration.find("model")) words.push_back(*model);
  for (const auto& [name, value] : task.configuration.options()) {
    if (name != "model") words.push_back(fmt::format("--{}={}", name, value));
  }
  return shell_quoted(words);
}

Json to_json(const std::vector<ProposedRun>& proposed, const SweepGoal& goal) {
  Json list = Json::array();
  for (const ProposedRun& one : proposed) {
    list.push_back({{"position", one.task.position},
                    {"configuration", to_json(one.task.configuration)},
                    {"repetition", one.task.repetition},
                    {"metric", goal.target ? Json("seconds_to_target") : Json(goal.metric->key)},
                    {"value", one.value.value},
                    {"low90", one.value.low},
                    {"high90", one.value.high},
                    {"gain", one.gain},
                    {"command", command_of(one.task)}});
  }
  return list;
}

std::string table_of(const std::vector<ProposedRun>& proposed, const SweepGoal& goal,
                     const Terminal& terminal) {
  std::vector<const Configuration*> configurations;
  for (const ProposedRun& one : proposed) configurations.push_back(&one.task.configuration);
  const auto names = options_that_differ(configurations);
  const std::string title =
      goal.target ? fmt::format("time to {}", *goal.target) : std::string(goal.metric->title);
  Table table(
      {{"#"}, {"configuration", Align::left}, {title}, {"90 % interval", Align::left}, {"gain"}});
  for (const ProposedRun& one : proposed) {
    table.add(
        {std::to_string(one.task.position), printable(to_text(one.task.configuration, names)),
         value_text(goal, one.value.value),
         fmt::format("{} to {}", value_text(goal, one.value.low), value_text(goal, one.value.high)),
         fmt::format("{:.1f} %", 100 * one.gain)});
  }
  return table.text(terminal) + terminal.dim("gain: expected improvement of the best result") +
         "\n";
}

Result<int> propose(const NextOptions& o, const Context& context) {
  if (o.count < 1 || o.count > 1000) {
    return Error{ErrorCode::usage, "-n must be between 1 and 1000"};
  }
  SweepGoal goal;
  if (!o.metric.empty()) {
    TACHO_TRY(metric, find_metric(o.metric));
    goal.metric = metric;
  }
  if (!o.target.empty()) {
    TACHO_TRY(target, parse_target(o.target));
    goal.target = target;
  }
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(runs, context.open_store());
  TACHO_TRY(sweeps, SweepStore::open(home / "tacho.db"));
  TACHO_TRY(sweep, sweeps.find(o.handle));
  SweepAdvisor advisor(sweeps, runs, goal);
  TACHO_TRY(settled, advisor.goal(sweep.id));
  TACHO_TRY(proposed, advisor.next(sweep.id, o.count));
  if (o.json) {
    context.print(json_text(to_json(proposed, settled), 1) + "\n");
  } else if (proposed.empty()) {
    context.print(fmt::format("sweep {} has no runs left\n", sweep.id));
  } else {
    context.print(table_of(proposed, settled, context.out));
  }
  return kSuccess;
}

}  // namespace

void add_sweep_next_command(CLI::App& sweep, Context& context) {
  CLI::App* command =
      sweep.add_subcommand("next", "propose the runs that are most useful to find the best one");
  auto o = std::make_shared<NextOptions>();
  command->add_option("sweep", o->handle, "id or key of a sweep, or 'last'")->required();
  command->add_option("-n", o->count, "number of runs")->capture_default_str();
  auto* metric = command->add_option(
      "--metric", o->metric, "metric to optimize (default: accuracy, else speed, else time)");
  command
      ->add_option("--target", o->target, "optimize the time to this accuracy, such as top1=0.85")
      ->excludes(metric);
  command->add_flag("--json", o->json, "print JSON, with the command of each run");
  command->callback([o, &context] { context.run([&] { return propose(*o, context); }); });
}

}  // namespace tacho
