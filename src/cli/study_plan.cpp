#include "cli/study_plan.h"

#include <fmt/format.h>

#include "base/table.h"
#include "base/units.h"
#include "cli/study_check.h"
#include "cli/train_options.h"
#include "experiments/runner/sweep_plan.h"
#include "experiments/study/study_report.h"

namespace tacho {
namespace {

struct KindAndAmount {
  std::string kind;
  std::string amount;
};

struct StepAmount {
  const Study& study;

  Result<KindAndAmount> operator()(const ComparisonStep& work) const {
    TACHO_TRY(options, compare_options_of(work));
    TACHO_TRY(plan, plan_of(options, read_train_words));
    const StopRule& rule = plan.rule;
    const std::string runs = rule.min_repeats == rule.max_repeats
                                 ? std::to_string(rule.min_repeats)
                                 : fmt::format("{} to {}", rule.min_repeats, rule.max_repeats);
    const std::string time =
        rule.max_time ? fmt::format(", at most {}", human(*rule.max_time)) : "";
    return KindAndAmount{
        "compare", fmt::format("{} variants, {} runs of each{}", plan.variants.size(), runs, time)};
  }
  Result<KindAndAmount> operator()(const GridStep& work) const {
    TACHO_TRY(grid, read_grid(work.grid, study.file, run_option_names()));
    TACHO_TRY(runs, planned_runs(grid, "sweep"));
    return KindAndAmount{"sweep", fmt::format("{} runs", runs.size())};
  }
  Result<KindAndAmount> operator()(const TrainingStep& /*work*/) const {
    return KindAndAmount{"train", "1 run"};
  }
  Result<KindAndAmount> operator()(const ServingStep& work) const {
    return KindAndAmount{"serve", fmt::format("the model of {}", work.model)};
  }
  Result<KindAndAmount> operator()(const PredictionStep& work) const {
    return KindAndAmount{"prediction", fmt::format("{} folds of {}", work.folds,
                                                   work.sweep.empty() ? "corpus" : work.sweep)};
  }
  Result<KindAndAmount> operator()(const SurveyStep& /*work*/) const {
    return KindAndAmount{"memory", "1 survey"};
  }
  Result<KindAndAmount> operator()(const MissingStep& work) const {
    return KindAndAmount{"missing", "reports on " + work.of};
  }
  Result<KindAndAmount> operator()(const SavingsStep& work) const {
    return KindAndAmount{"savings", fmt::format("reports on {}", fmt::join(work.of, ", "))};
  }
  Result<KindAndAmount> operator()(const CostStep& work) const {
    return KindAndAmount{"cost", fmt::format("reports on {}", fmt::join(work.of, ", "))};
  }
};

}  // namespace

Result<std::vector<PlannedStep>> planned_steps(const Study& study,
                                               const std::optional<StudyRow>& row,
                                               StudyTable table) {
  std::vector<PlannedStep> steps;
  for (const StudyStep& step : study.steps) {
    TACHO_TRY(does, std::visit(StepAmount{study}, step.work));
    PlannedStep planned{.name = step.name,
                        .kind = does.kind,
                        .amount = does.amount,
                        .state = "waiting",
                        .why = "",
                        .command = command_of(step)};
    std::optional<StudyStepRow> made;
    if (row) {
      TACHO_TRY(found, table.step(row->id, step.key));
      made = found;
    }
    const auto possible = check_needs(step);
    if (made && made->state != StudyStepState::impossible) {
      planned.state = kStudyStepStates.of(made->state);
    } else if (!possible.ok()) {
      planned.state = "not possible here";
      planned.why = possible.error().message;
    }
    steps.push_back(std::move(planned));
  }
  return steps;
}

std::string plan_text(const Study& study, const std::vector<PlannedStep>& steps,
                      const Terminal& terminal) {
  std::string out =
      terminal.bold(fmt::format("{} ({})", study.title, kStudyLevels.of(study.level))) + "\n\n";
  Table table({{"step", Align::left},
               {"kind", Align::left},
               {"amount", Align::left},
               {"state", Align::left}});
  for (const PlannedStep& step : steps) {
    table.add({step.name, step.kind, step.amount, step.state});
  }
  out += table.text(terminal) + "\n";
  for (const PlannedStep& step : steps) {
    if (!step.why.empty()) out += fmt::format("{}: {}\n", step.name, step.why);
  }
  for (const PlannedStep& step : steps) {
    if (!step.command.empty()) out += terminal.dim("$ " + printable(step.command)) + "\n";
  }
  return out;
}

Json plan_json(const Study& study, const std::vector<PlannedStep>& steps) {
  Json list = Json::array();
  for (const PlannedStep& step : steps) {
    list.push_back({{"name", step.name},
                    {"does", step.kind},
                    {"amount", step.amount},
                    {"state", step.state},
                    {"why", step.why},
                    {"command", step.command}});
  }
  return {
      {"study", study.name}, {"level", kStudyLevels.of(study.level)}, {"steps", std::move(list)}};
}

}  // namespace tacho
