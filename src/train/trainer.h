#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "comm/place.h"
#include "record/event.h"
#include "record/run_folder.h"

namespace tacho {

// Takes what happened, as it happens. An error (a full disk) ends the run.
using Report = std::function<Result<void>(const EventBody&)>;

struct TrainEnd {
  Outcome outcome = Outcome::ok;
  std::string reason;
  std::int64_t device_memory_bytes = 0;  // the most in use on a GPU at once
};

struct Training {
  const RunOrder& order;
  const RunFolder& folder;
  std::filesystem::path tacho_home;  // where datasets are
  const ComputePaths& paths;
  const Report& report;
  const std::atomic<bool>& stop;  // once set, training ends after the step under way
  // Among the ranks of a job; nobody else's report but rank 0's is the run's.
  std::optional<Place> place = {};
  // Another rank is lost, and this one cannot be woken from waiting for it: must end the process.
  std::function<void(const std::string& why)> last_words = {};
};

// Makes the input and the model, goes on from the newest checkpoint if there is one, and trains.
// Being stopped, running out of memory and a loss that is not a number are ends, not errors; an
// Error means that the run could not be made: a missing dataset, a full disk.
Result<TrainEnd> train(const Training& training);

}  // namespace tacho
