#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/store/run_store.h"
#include "experiments/runner/runner.h"

namespace tacho {

// Counts the restarts of a training whose attempts fail. Progress begins the count again.
class Restarts {
 public:
  explicit Restarts(std::int64_t most) : most_(most) {}

  // Call after an attempt that failed. Returns false if there were enough of them in a row.
  bool again(bool progress) {
    if (progress) in_a_row_ = 0;
    return ++in_a_row_ <= most_;
  }
  // "restart 1 of 3: rank 2 was killed by signal 9"
  [[nodiscard]] std::string words(std::string_view reason) const;

 private:
  std::int64_t most_;
  std::int64_t in_a_row_ = 0;
};

// Trains until an attempt does not fail, or restarts no longer help. `attempt` gets the number of
// the run that failed, or none the first time; `say` gets the words of each restart.
Result<FinishedRun> train_with_restarts(
    std::int64_t most,
    const std::function<Result<FinishedRun>(std::optional<std::int64_t>)>& attempt,
    const std::function<void(const std::string&)>& say);

// The key of the run of a job in this home: every tacho that is started for the job finds it.
Result<std::string> key_of_job(std::string_view job, const std::filesystem::path& home);

// Returns the run with the key of this order, if there is one. Waits a while for one that is still
// being worked on: the workers of a tacho that was killed take a moment to end. It is an error if
// the run has other options, except for the number of ranks.
Result<std::optional<FinishedRun>> run_of_job(RunStore& store, const std::filesystem::path& home,
                                              const RunOrder& order);

}  // namespace tacho
