#include "experiments/trials/trial_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "base/file.h"
#include "base/shell_words.h"
#include "base/version.h"
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
constexpr int kScreeningRounds = 3;      // with the warm-up
constexpr int kFewestRounds = 6;         // fewer can show no difference
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
    TACHO_CHECK(make_folders(hook_));
    TACHO_CHECK(write_trial_hook(hook_));
    TACHO_TRY(record, first_trial());
    report_.title = command_line(request_.command);
    const std::vector<TrialChange> changes = changes_for(learn(record), request_.changes);
    if (changes.empty()) {
      return Error{ErrorCode::failed,
                   "none of the changes can apply to this program; see 'tacho try --list'"};
    }
    const std::size_t most = most_variants(kScreeningShare * request_.budget, kScreeningRounds);
    for (std::size_t i = 0; i < std::min(changes.size(), most); ++i) {
      report_.tried.push_back({.changes = {changes[i]}});
    }
    note_left_out(std::span(changes).subspan(report_.tried.size()));
    TACHO_CHECK(screen());
    if (!interrupted()) TACHO_CHECK(measure());
    report_.seconds = elapsed().count();
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool interrupted() const { return interrupts_ > 0; }
  [[nodiscard]] Seconds elapsed() const { return std::chrono::steady_clock::now() - began_; }

  // Returns how many variants fit into the time besides the original, at least one.
  [[nodiscard]] std::size_t most_variants(Seconds time, int rounds) const {
    const double fit = time.count() / (rounds * std::max(trial_seconds_, 1e-3)) - 1;
    return static_cast<std::size_t>(std::clamp(fit, 1.0, 1e6));
  }

  void note_left_out(std::span<const TrialChange> changes) {
    std::string names;
    for (const TrialChange& change : changes) names += (names.empty() ? "" : ", ") + change.name;
    if (names.empty()) return;
    report_.notes.push_back(fmt::format("no time to try {}; add --budget", names));
  }

  // With another seed than the trials that are compared.
  Result<RunRecord> first_trial() {
    RunOrder order = new_order(request_.command);
    order.environment.variables = trial_variables(hook_, {}, kOtherSeed, length_);
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
                   fmt::format("a PyTorch optimizer made too few steps within {:.0f} s, and the "
                               "program did not end; make it shorter or add --budget",
                               *order.time_limit_s)};
    }
    return Error{ErrorCode::failed,
                 fmt::format("the program fails without any change: {}; see 'tacho runs show {}'",
                             record.reason, watched.run.id)};
  }

  ProgramFacts learn(const RunRecord& record) {
    ProgramFacts facts;
    facts.gpu = record.found_steps && record.found_steps->on_gpu();
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
    traced_ = record.found_steps && record.found_steps->on_gpu();
    trial_seconds_ = record.totals.wall_seconds;
    trial_limit_ = std::min(60 + 10 * trial_seconds_, request_.budget.count());
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
    planned.environment.variables = trial_variables(hook_, changes, kSeed, length_);
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
    if (original.values.empty() && !observed_[kOriginal].failure.empty() && !interrupted()) {
      return Error{ErrorCode::failed,
                   "the program failed without any change: " + observed_[kOriginal].failure};
    }
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
      if (interrupted()) return {};
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

  void settle(const Comparison& comparison, std::size_t variant, bool measured,
              TriedChange& tried) {
    const Observed& seen = observed_[tried.name()];
    tried.effect.clear();
    tried.keep.clear();
    const bool was_found = read_finding(comparison, variant, measured, tried);
    if (!seen.missing.empty()) {
      tried.outcome = TrialOutcome::no_effect;
      tried.why = seen.missing;
      return;
    }
    if (!was_found && !seen.failure.empty()) {
      tried.outcome = TrialOutcome::failed;
      tried.why = seen.failure;
      return;
    }
    tried.losses = judge_losses(observed_[kOriginal].losses, seen.losses, other_seed_);
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
    StopRule rule{.resolution = request_.resolution,
                  .min_repeats = kScreeningRounds - 1,
                  .max_repeats = kScreeningRounds - 1};
    TACHO_TRY(comparison, compare(variants, rule));
    for (std::size_t i = 0; i < report_.tried.size(); ++i) {
      settle(comparison, i + 1, /*measured=*/false, report_.tried[i]);
    }
    for (auto& [name, seen] : observed_) seen.failure.clear();
    return {};
  }

  Result<void> measure() {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < report_.tried.size(); ++i) {
      if (may_save(report_.tried[i])) candidates.push_back(i);
    }
    if (candidates.empty()) return {};
    const Seconds left = request_.budget - elapsed();
    if (left < kFewestRounds * 2 * Seconds(trial_seconds_)) return {};
    const std::vector<TrialChange> together = to_combine(report_.tried);
    if (together.size() > 1) {
      candidates.push_back(report_.tried.size());
      report_.tried.push_back({.changes = together});
    }
    keep_those_that_fit(candidates, most_variants(left, kFewestRounds));
    std::vector<std::vector<TrialChange>> variants;
    for (const std::size_t i : candidates) variants.push_back(report_.tried[i].changes);
    StopRule rule{.resolution = request_.resolution};
    rule.max_time = left;
    TACHO_TRY(comparison, compare(variants, rule));
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      settle(comparison, i + 1, /*measured=*/true, report_.tried[candidates[i]]);
    }
    return {};
  }

  // All together first, then those that save most.
  void keep_those_that_fit(std::vector<std::size_t>& candidates, std::size_t most) const {
    if (candidates.size() <= most) return;
    std::ranges::stable_sort(candidates, {}, [&](std::size_t i) {
      const TriedChange& tried = report_.tried[i];
      return tried.ratio ? tried.ratio->value : 0.0;
    });
    candidates.resize(most);
    std::ranges::sort(candidates);
  }

  const TrialRequest& request_;
  const fs::path& home_;
  RunStore& store_;
  const std::atomic<int>& interrupts_;
  const std::function<Result<void>()>& between_;
  CompareView& view_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  // Not in a temporary folder, which may be a part of what the trials see only a copy of.
  const fs::path hook_ = home_ / "cache" / fmt::format("trial-hook-{}", kCommit);
  TrialLength length_{.measured = request_.measured};
  std::string metric_;
  bool traced_ = false;
  double trial_seconds_ = 0;
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
