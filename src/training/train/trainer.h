#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "core/record/event.h"
#include "core/record/run_folder.h"
#include "machine/comm/place.h"

namespace tacho {

// Receives events as they happen. An error (a full disk) ends the run.
using Report = std::function<Result<void>(const EventBody&)>;

struct TrainEnd {
  Outcome outcome = Outcome::ok;
  std::string reason;
  std::int64_t device_memory_bytes = 0;  // peak use of the GPU's memory
};

struct Training {
  const RunOrder& order;
  const RunFolder& folder;
  std::filesystem::path tacho_home;  // where datasets are
  const ComputePaths& paths;
  const Report& report;
  const std::atomic<bool>& stop;  // once set, training ends after the current step
  // Rank and size in a distributed job; only rank 0's reports become the run's.
  std::optional<Place> place = {};
  // Called if another rank is lost and this one cannot be woken from waiting for it: must end the
  // process.
  std::function<void(const std::string& why)> on_lost_rank = {};
};

// Opens the input and the model, resumes from the newest checkpoint if there is one, and trains.
// Being stopped, running out of memory and a NaN loss are ends, not errors; an Error means that the
// run was not possible: a missing dataset, a full disk.
Result<TrainEnd> train(const Training& training);

}  // namespace tacho
