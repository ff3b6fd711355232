#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "core/store/run_store.h"
#include "experiments/runner/comparer.h"

namespace tacho {

struct KeptComparison {
  std::int64_t id = 0;
  Comparison comparison;
};

// Overrides of a stop rule.
struct RuleChanges {
  std::optional<double> resolution = {};
  std::optional<Seconds> max_time = {};
  std::optional<std::int64_t> min_repeats = {};
  std::optional<std::int64_t> max_repeats = {};
};
StopRule changed(StopRule rule, const RuleChanges& changes);

// Called after every run. An error counts as a failed run of the variant.
using AfterRun = std::function<Result<void>(const PlannedVariant&, const FinishedRun&)>;

// Executes a plan and stores the comparison; its runs are ordinary runs of the store. The
// comparison is stored before its first run and after every block, so a kill loses at most one
// block and resume() can continue.
class CompareRunner {
 public:
  // `interrupts` counts Ctrl-C: the first ends the current run and the comparison.
  CompareRunner(std::filesystem::path home, RunStore& store, const std::atomic<int>& interrupts,
                RunHook* hook = nullptr, AfterRun after = {})
      : home_(std::move(home)),
        store_(store),
        interrupts_(interrupts),
        hook_(hook),
        after_(std::move(after)) {}

  // `key` is the name in the store and must be new.
  Result<KeptComparison> run(const ComparePlan& plan, CompareView& view,
                             const std::string& key = new_run_key());
  Result<KeptComparison> resume(std::string_view handle, const RuleChanges& changes,
                                CompareView& view);

  // Stores a complete comparison without a plan.
  Result<KeptComparison> keep(Comparison comparison);
  Result<KeptComparison> find(std::string_view handle);
  // Returns an error if the comparison is still running.
  Result<std::int64_t> remove(std::string_view handle);

 private:
  Result<KeptComparison> carry_out(const ComparePlan& plan, const std::string& key,
                                   Comparison comparison, CompareView& view);
  Result<void> check_ready(const ComparePlan& plan) const;
  [[nodiscard]] std::filesystem::path lock_of(const std::string& key) const;

  std::filesystem::path home_;
  RunStore& store_;
  const std::atomic<int>& interrupts_;
  RunHook* hook_;
  AfterRun after_;
};

}  // namespace tacho
