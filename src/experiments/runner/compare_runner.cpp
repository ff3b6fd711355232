#include "experiments/runner/compare_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "base/file.h"
#include "experiments/runner/kernel_tables.h"
#include "experiments/runner/worker_program.h"
#include "machine/env/environment.h"
#include "training/data/locate_input.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Seconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

StoredComparison stored_form(const Comparison& comparison, const std::string& key,
                             const ComparePlan* plan) {
  StoredComparison stored;
  stored.row = {0, key, comparison.title, comparison.started};
  stored.comparison = to_json(comparison);
  if (plan != nullptr) stored.plan = to_json(*plan);
  return stored;
}

Standing standing_of(const PlannedVariant& variant) {
  Standing standing;
  standing.line_mbit = variant.line_mbit;
  return standing;
}

Result<FinishedRun> run_of(Runner& runner, const PlannedVariant& variant, RunView& view) {
  RunOrder order = std::visit([](const auto& what) { return new_order(what); }, variant.what);
  order.environment = variant.environment;
  order.time_limit_s = variant.time_limit_s;
  if (!order.command) return runner.run(order, standing_of(variant), view);
  TACHO_TRY(watched, runner.watch(order, /*echo=*/false, view));
  return std::move(watched.run);
}

// The name of an image may refer to another image later; its digest does not.
void add_digest(const EnvironmentSpec& spec, Variant& variant) {
  if (spec.kind == EnvironmentKind::bare) return;
  const auto environment = open_environment(spec);
  if (!environment.ok()) return;
  const auto facts = (*environment)->describe();
  if (facts.ok() && !facts->image_digest.empty()) variant.description += ", " + facts->image_digest;
}

}  // namespace

StopRule changed(StopRule rule, const RuleChanges& changes) {
  if (changes.resolution) rule.resolution = *changes.resolution;
  if (changes.max_time) rule.max_time = changes.max_time;
  if (changes.min_repeats) rule.min_repeats = *changes.min_repeats;
  // The maximum is at least the minimum, unless it is given too.
  rule.max_repeats = changes.max_repeats.value_or(std::max(rule.max_repeats, rule.min_repeats));
  return rule;
}

Result<KeptComparison> CompareRunner::run(const ComparePlan& plan, CompareView& view,
                                          const std::string& key) {
  TACHO_CHECK(check(plan.rule));
  TACHO_CHECK(check_ready(plan));
  Comparison comparison = new_comparison(plan);
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    add_digest(plan.variants[i].environment, comparison.variants[i]);
  }
  return carry_out(plan, key, std::move(comparison), view);
}

Result<KeptComparison> CompareRunner::resume(std::string_view handle, const RuleChanges& changes,
                                             CompareView& view) {
  TACHO_TRY(stored, store_.comparisons().find(handle));
  const std::string place = fmt::format("comparison {}", stored.row.id);
  if (!stored.plan) {
    return Error{ErrorCode::usage, place + " compares existing runs; there is nothing to resume"};
  }
  TACHO_TRY(plan, compare_plan_from_json(*stored.plan).in(place));
  TACHO_TRY(comparison, comparison_from_json(stored.comparison).in(place));
  if (plan.variants.size() != comparison.variants.size()) {
    return Error{ErrorCode::invalid, place + ": its plan has other variants"};
  }
  plan.rule = changed(plan.rule, changes);
  TACHO_CHECK(check(plan.rule));
  comparison.rule.resolution = plan.rule.resolution;
  TACHO_CHECK(check_ready(plan));
  return carry_out(plan, stored.row.key, std::move(comparison), view);
}

Result<KeptComparison> CompareRunner::carry_out(const ComparePlan& plan, const std::string& key,
                                                Comparison comparison, CompareView& view) {
  TACHO_CHECK(make_folders(lock_of(key).parent_path()));
  TACHO_TRY(lock, FileLock::take(lock_of(key), FileLock::Kind::exclusive)
                      .in("this comparison is still running"));
  (void)lock;
  ComparisonTable table = store_.comparisons();
  Runner runner(home_, store_, interrupts_, hook_);
  const auto keep = [&](const Comparison& so_far) -> Result<void> {
    TACHO_TRY(id, table.put(stored_form(so_far, key, &plan)));
    (void)id;
    return {};
  };
  TACHO_CHECK(keep(comparison));
  const CompareHooks hooks{
      .make_run = [&](const PlannedVariant& variant, RunView& run_view) -> Result<FinishedRun> {
        TACHO_TRY(run, run_of(runner, variant, run_view));
        if (after_) TACHO_CHECK(after_(variant, run));
        return std::move(run);
      },
      .keep = keep,
      .now = steady_now,
      .interrupts = interrupts_};
  TACHO_CHECK(compare(plan, hooks, view, comparison));
  comparison.tables = kernel_tables(comparison, store_);
  TACHO_TRY(id, table.put(stored_form(comparison, key, &plan)));
  std::error_code ignored;
  fs::remove(lock_of(key), ignored);
  return KeptComparison{id, std::move(comparison)};
}

// Checks all variants before the first run, so that a missing component shows immediately.
Result<void> CompareRunner::check_ready(const ComparePlan& plan) const {
  for (const PlannedVariant& variant : plan.variants) {
    if (const auto* spec = std::get_if<RunSpec>(&variant.what)) {
      TACHO_CHECK(check(*spec).in(variant.shown.name));
      TACHO_TRY(launch, plan_launch(spec->dist, standing_of(variant)));
      TACHO_CHECK(check_possible(launch));
      if (!is_synthetic(*spec)) TACHO_CHECK(locate_input(*spec, home_));
      TACHO_TRY(worker, find_worker());
      (void)worker;
    }
    if (variant.environment.kind != EnvironmentKind::bare) {
      TACHO_TRY(environment, open_environment(variant.environment));
      TACHO_CHECK(environment->check());
    } else if (std::holds_alternative<CommandSpec>(variant.what)) {
      TACHO_TRY(program, find_program(std::get<CommandSpec>(variant.what).argv.front()));
      (void)program;
    }
  }
  return {};
}

Result<KeptComparison> CompareRunner::keep(Comparison comparison) {
  comparison.tables = kernel_tables(comparison, store_);
  TACHO_TRY(id, store_.comparisons().put(stored_form(comparison, new_run_key(), nullptr)));
  return KeptComparison{id, std::move(comparison)};
}

Result<KeptComparison> CompareRunner::find(std::string_view handle) {
  TACHO_TRY(stored, store_.comparisons().find(handle));
  TACHO_TRY(
      comparison,
      comparison_from_json(stored.comparison).in(fmt::format("comparison {}", stored.row.id)));
  return KeptComparison{stored.row.id, std::move(comparison)};
}

Result<std::int64_t> CompareRunner::remove(std::string_view handle) {
  TACHO_TRY(stored, store_.comparisons().find(handle));
  const fs::path file = lock_of(stored.row.key);
  std::error_code ignored;
  if (fs::exists(file, ignored)) {
    const auto lock = FileLock::take(file, FileLock::Kind::exclusive);
    if (!lock.ok()) {
      return Error{ErrorCode::usage,
                   fmt::format("comparison {} is still running; stop it first", stored.row.id)};
    }
    fs::remove(file, ignored);
  }
  TACHO_CHECK(store_.comparisons().remove(stored.row.id));
  return stored.row.id;
}

fs::path CompareRunner::lock_of(const std::string& key) const {
  return home_ / "comparisons" / (key + ".lock");
}

}  // namespace tacho
