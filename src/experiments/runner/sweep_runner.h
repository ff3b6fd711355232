#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "core/store/sweep_store.h"
#include "experiments/runner/sweep_driver.h"
#include "experiments/sweep/plan.h"
#include "experiments/sweep/settings.h"

namespace tacho {

// Adds, runs and cancels sweeps. A sweep has a folder in `sweeps`, with the files of the launcher
// and a lock that its driver holds.
class SweepRunner {
 public:
  SweepRunner(std::filesystem::path home, SweepStore& store, const std::atomic<int>& interrupts,
              RunHook* hook = nullptr)
      : home_(std::move(home)), store_(store), interrupts_(interrupts), hook_(hook) {}

  // Stores a sweep with all its tasks and starts nothing. `key` is its name and must be new.
  Result<SweepRow> add(const std::string& name, const std::string& grid,
                       const std::vector<PlannedRun>& runs, const SweepSettings& settings,
                       const std::string& key = new_run_key());

  // Checks that the launcher is usable.
  Result<void> check(const SweepSettings& settings) const;

  // Executes the remaining tasks. Returns an error if another tacho is running the sweep. `choose`
  // is for sweeps with adaptive order.
  Result<SweepDriver::End> drive(const SweepRow& sweep, const SweepSettings& settings,
                                 SweepView& view, ChooseNext choose = {});

  // Ends the sweep permanently, including its driver; no task is running when this returns.
  Result<void> cancel(const SweepRow& sweep, SweepView& view);

  [[nodiscard]] bool is_driven(const SweepRow& sweep) const;

 private:
  [[nodiscard]] std::filesystem::path folder_of(const SweepRow& sweep) const {
    return home_ / "sweeps" / sweep.key;
  }

  std::filesystem::path home_;
  SweepStore& store_;
  const std::atomic<int>& interrupts_;
  RunHook* hook_;
};

Result<SweepSettings> settings_of(const SweepRow& sweep);

}  // namespace tacho
