#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "lab/sweep_driver.h"
#include "store/sweep_store.h"
#include "sweep/plan.h"
#include "sweep/settings.h"

namespace tacho {

// Sweeps from a plan to their last result. A sweep has a folder of its own beside the runs', where
// the launcher keeps what it needs, and a lock that its driver holds.
class SweepLab {
 public:
  SweepLab(std::filesystem::path home, SweepStore& store, const std::atomic<int>& interrupts)
      : home_(std::move(home)), store_(store), interrupts_(interrupts) {}

  // In the store, with all its runs to be made, and nothing started.
  // `key`: what it is to be called, where no sweep has it yet.
  Result<SweepRow> add(const std::string& name, const std::string& grid,
                       const std::vector<PlannedRun>& runs, const SweepSettings& settings,
                       const std::string& key = new_run_key());

  // Whether the launcher could be used, before anything is stored.
  Result<void> check(const SweepSettings& settings) const;

  // Makes what is left to be made. An error where another tacho is at it.
  // `choose` is for sweeps whose order is adaptive.
  Result<SweepDriver::End> drive(const SweepRow& sweep, const SweepSettings& settings,
                                 SweepView& view, ChooseNext choose = {});

  // Ends it for good, with whoever drives it; nothing of it runs when this returns.
  Result<void> cancel(const SweepRow& sweep, SweepView& view);

  [[nodiscard]] bool is_driven(const SweepRow& sweep) const;

 private:
  [[nodiscard]] std::filesystem::path folder_of(const SweepRow& sweep) const {
    return home_ / "sweeps" / sweep.key;
  }

  std::filesystem::path home_;
  SweepStore& store_;
  const std::atomic<int>& interrupts_;
};

Result<SweepSettings> settings_of(const SweepRow& sweep);

}  // namespace tacho
