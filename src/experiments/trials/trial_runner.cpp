#include "experiments/trials/trial_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "base/scratch_folder.h"
#include "base/shell_words.h"
#include "core/record/history.h"
#include "core/record/statistics.h"
#include "experiments/runner/compare_runner.h"
#include "experiments/runner/runner.h"
#include "experiments/trials/trial_start.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSeed = 0;
constexpr std::int64_t kOtherSeed = 1;
constexpr double kFirstShare = 0.3;      // of the budget, for the first trial
constexpr double kScreeningShare = 0.5;  // of the budget, to see what may save time
constexpr const char* kOriginal = "original";

// Of the trials of one variant.
struct Observed {
  std::vector<LossCurve> losses;
  std::map<std::string, std::string> said;  // by the hook in Python
  std::string missing;                      // why a change had no effect
  std::string failure;
};

LossCurve losses_of(const RunFolder& folder) {
  LossCurve curve;
  const auto points = read_history(folder);
  if (!points.ok()) return curve;
  for (const HistoryPoint& point : *points) {
    const auto loss = point.values.find("trial_loss");
    if (loss != point.values.end()) curve.push_back(loss->second);
  }
  return curve;
}

class Trials {
 public:
  Trials(const TrialRequest& request, const fs::path& home, RunStore& store,
         const std::atomic<int>& interrupts, const std::function<Result<void>()>& between,
         CompareView& view)
      : request_(request),
        home_(home),
        store_(store),
        interrupts_(interrupts),
        between_(between),
        view_(view) {}

  Result<TrialReport> go() {
    TACHO_CHECK(write_trial_hook(hook_.path()));
    TACHO_TRY(record, first_trial());
    report_.title = command_line(request_.command);
    const std::vector<TrialChange> changes = changes_for(learn(record), request_.changes);
    if (changes.empty()) {
      return Error{ErrorCode::failed,
                   "none of the changes can apply to this program; see 'tacho try --list'"};
    }
    for (const TrialChange& change : changes) report_.tried.push_back({.changes = {change}});
    TACHO_CHECK(screen());
    if (!interrupted()) TACHO_CHECK(measure());
    report_.seconds = elapsed().count();
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool interrupted() const { return interrupts_ > 0; }
  [[nodiscard]] Seconds elapsed() const { return std::chrono::steady_clock::now() - began_; }

  // With another seed than the trials that are compared.
  Result<RunRecord> first_trial() {
    RunOrder order = new_order(request_.command);
    order.environment.variables = trial_variables(hook_.path(), {}, kOtherSeed, length_);
    order.time_limit_s = kFirstShare * request_.budget.count();
    Runner runner(home_, store_, interrupts_);
    TACHO_TRY(watched, runner.watch(order, /*echo=*/false, view_));
    const RunRecord& record = watched.run.record;
    TACHO_CHECK(end_of_trial());
    if (interrupted()) return Error{ErrorCode::failed, "interrupted in the first trial"};
    if (record.outcome == Outcome::ok) {
      other_seed_ = losses_of(RunFolder(home_ / "runs" / order.key));
      return std::move(watched.run.record);
    }
    if (record.reason.find("time limit") != std::string::npos) {
      return Error{ErrorCode::failed,
                   fmt::format("no PyTorch optimizer made a step within {:.0f} s, and the program "
                               "did not end; make it shorter or add --budget",
                               *order.time_limit_s)};
    }
    return Error{ErrorCode::failed,
                 fmt::format("the program fails without any change: {}; see 'tacho runs show {}'",
                             record.reason, watched.run.id)};
  }

  ProgramFacts learn(const RunRecord& record) {
    ProgramFacts facts;
    facts.gpu = record.found_steps && !record.found_steps->marked();
    if (record.described) {
      const auto& said = record.described->config;
      facts.pytorch = said.contains("torch");
      if (const auto device = said.find("device"); device != said.end()) {
        facts.gpu = device->second == "gpu";
      }
      // All ranks must end after the same number of steps.
      if (said.contains("ranks") && record.found_steps) {
        length_.steps = std::clamp<std::int64_t>(
            std::llround(length_.measured / record.found_steps->period_s), 15, 200);
      }
    }
    metric_ = record.found_steps ? "step_s" : "wall_s";
    traced_ = record.found_steps && !record.found_steps->marked();
    trial_limit_ = 60 + 10 * record.totals.wall_seconds;
    return facts;
  }

  Result<void> end_of_trial() { return between_ ? between_() : Result<void>(); }

  PlannedVariant variant(const std::string& name, std::span<const TrialChange> changes) {
    PlannedVariant planned;
    planned.shown.name = name;
    for (const TrialChange& change : changes) {
      planned.shown.description += (planned.shown.description.empty() ? "" : "; ") + change.help;
    }
    CommandSpec command = request_.command;
    command.trace = traced_;
    planned.what = std::move(command);
    planned.environment.variables = trial_variables(hook_.path(), changes, kSeed, length_);
    planned.time_limit_s = trial_limit_;
    return planned;
  }

  Result<Comparison> compare(const std::vector<std::vector<TrialChange>>& variants,
                             const StopRule& rule) {
    ComparePlan plan;
    plan.title = report_.title;
    plan.command = request_.typed;
    plan.seed = request_.seed;
    plan.rule = rule;
    plan.metrics = {metric_};
    plan.include_disturbed = request_.include_disturbed;
    plan.variants.push_back(variant(kOriginal, {}));
    for (const auto& changes : variants) {
      plan.variants.push_back(variant(TriedChange{.changes = changes}.name(), changes));
    }
    const AfterRun after = [&](const PlannedVariant& made, const FinishedRun& run) {
      return observe(made.shown.name, run);
    };
    CompareRunner runner(home_, store_, interrupts_, nullptr, after);
    TACHO_TRY(kept, runner.run(plan, view_));
    report_.comparisons.push_back(kept.id);
    report_.metric =
        kept.comparison.metrics.empty() ? ComparedMetric{} : kept.comparison.metrics[0];
    const Sample original = sample_of(kept.comparison, 0, metric_);
    if (!original.values.empty()) report_.original = median(original.values);
    for (const std::string& note : kept.comparison.notes) {
      if (note.find(", warm-up: ") == std::string::npos) report_.notes.push_back(note);
    }
    return std::move(kept.comparison);
  }

  // An error gives the variant up.
  Result<void> observe(const std::string& name, const FinishedRun& run) {
    TACHO_CHECK(end_of_trial());
    Observed& seen = observed_[name];
    const RunRecord& record = run.record;
    if (record.outcome != Outcome::ok) {
      seen.failure = fmt::format("{}; see 'tacho runs show {}'", record.reason, run.id);
      return {};
    }
    if (LossCurve losses = losses_of(RunFolder(home_ / "runs" / record.order.key));
        !losses.empty()) {
      seen.losses.push_back(std::move(losses));
    }
    if (!record.described) return {};
    seen.said = record.described->config;
    for (const auto& [key, value] : seen.said) {
      if (!key.starts_with("missing.")) continue;
      seen.missing = value;
      return Error{ErrorCode::failed, "no effect: " + value};
    }
    return {};
  }

  void fill(TriedChange& tried) {
    const Observed& seen = observed_[tried.name()];
    if (!seen.missing.empty() || !seen.failure.empty()) {
      const bool no_effect = !seen.missing.empty();
      tried.outcome = no_effect ? TrialOutcome::no_effect : TrialOutcome::failed;
      tried.why = no_effect ? seen.missing : seen.failure;
      return;
    }
    tried.losses = judge_losses(observed_[kOriginal].losses, seen.losses, other_seed_);
    tried.keep.clear();
    std::string assignments;
    for (const TrialChange& change : tried.changes) {
      for (const auto& [name, value] : change.variables) {
        assignments += fmt::format("{}={} ", name, shell_quoted(value));
      }
      const auto said = [&](const char* what) {
        const auto found = seen.said.find(fmt::format("{}.{}", what, change.name));
        return found == seen.said.end() ? std::string() : found->second;
      };
      if (const std::string effect = said("effect"); !effect.empty()) {
        tried.effect += (tried.effect.empty() ? "" : "; ") + effect;
      }
      if (const std::string keep = said("keep"); !keep.empty()) tried.keep.push_back(keep);
    }
    if (!assignments.empty()) tried.keep.insert(tried.keep.begin(), assignments + report_.title);
  }

  Result<void> screen() {
    std::vector<std::vector<TrialChange>> variants;
    for (const TriedChange& tried : report_.tried) variants.push_back(tried.changes);
    StopRule rule{.resolution = request_.resolution, .min_repeats = 2, .max_repeats = 2};
    rule.max_time = kScreeningShare * request_.budget;
    TACHO_TRY(comparison, compare(variants, rule));
    for (std::size_t i = 0; i < report_.tried.size(); ++i) {
      fill(report_.tried[i]);
      if (report_.tried[i].why.empty()) {
        read_finding(comparison, i + 1, /*measured=*/false, report_.tried[i]);
      }
    }
    return {};
  }

  Result<void> measure() {
    std::vector<std::size_t> candidates;
    std::vector<std::vector<TrialChange>> variants;
    for (std::size_t i = 0; i < report_.tried.size(); ++i) {
      if (!may_save(report_.tried[i])) continue;
      candidates.push_back(i);
      variants.push_back(report_.tried[i].changes);
    }
    if (variants.empty()) return {};
    const std::vector<TrialChange> together = to_combine(report_.tried);
    if (together.size() > 1) {
      candidates.push_back(report_.tried.size());
      variants.push_back(together);
      report_.tried.push_back({.changes = together});
    }
    StopRule rule{.resolution = request_.resolution};
    rule.max_time = std::max(Seconds(1), request_.budget - elapsed());
    TACHO_TRY(comparison, compare(variants, rule));
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      TriedChange& tried = report_.tried[candidates[i]];
      tried.effect.clear();
      fill(tried);
      if (tried.why.empty()) read_finding(comparison, i + 1, /*measured=*/true, tried);
    }
    return {};
  }

  const TrialRequest& request_;
  const fs::path& home_;
  RunStore& store_;
  const std::atomic<int>& interrupts_;
  const std::function<Result<void>()>& between_;
  CompareView& view_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  ScratchFolder hook_;
  TrialLength length_{.measured = request_.measured};
  std::string metric_;
  bool traced_ = false;
  double trial_limit_ = 0;
  LossCurve other_seed_;
  std::map<std::string, Observed> observed_;
  TrialReport report_;
};

}  // namespace

Result<TrialReport> TrialRunner::run(const TrialRequest& request, CompareView& view) {
  return Trials(request, home_, store_, interrupts_, between_, view).go();
}

}  // namespace tacho
