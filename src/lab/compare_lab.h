#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string_view>

#include "lab/comparer.h"
#include "store/run_store.h"

namespace tacho {

struct KeptComparison {
  std::int64_t id = 0;
  Comparison comparison;
};

// What of a rule is said anew.
struct RuleChanges {
  std::optional<double> resolution = {};
  std::optional<Seconds> max_time = {};
  std::optional<std::int64_t> min_repeats = {};
  std::optional<std::int64_t> max_repeats = {};
};
StopRule changed(StopRule rule, const RuleChanges& changes);

// From a plan to a stored comparison, whose runs are ordinary runs of the store. Stored before its
// first run and after every block: a kill loses one block at the most, and resume() goes on.
class CompareLab {
 public:
  // `interrupts` counts Ctrl-C: the first ends the run under way and the comparison.
  CompareLab(std::filesystem::path home, RunStore& store, const std::atomic<int>& interrupts)
      : home_(std::move(home)), store_(store), interrupts_(interrupts) {}

  // `key`: what it is to be called in the store, where no comparison has it yet.
  Result<KeptComparison> run(const ComparePlan& plan, CompareView& view,
                             const std::string& key = new_run_key());
  Result<KeptComparison> resume(std::string_view handle, const RuleChanges& changes,
                                CompareView& view);

  // One that is complete, without a plan.
  Result<KeptComparison> keep(Comparison comparison);
  Result<KeptComparison> find(std::string_view handle);
  // Not one that is still running.
  Result<std::int64_t> remove(std::string_view handle);

 private:
  Result<KeptComparison> carry_out(const ComparePlan& plan, const std::string& key,
                                   Comparison comparison, CompareView& view);
  Result<void> check_ready(const ComparePlan& plan) const;
  [[nodiscard]] std::filesystem::path lock_of(const std::string& key) const;

  std::filesystem::path home_;
  RunStore& store_;
  const std::atomic<int>& interrupts_;
};

}  // namespace tacho
