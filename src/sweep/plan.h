#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/run_folder.h"
#include "sweep/grid.h"

namespace tacho {

// One run of a sweep: where it stands in the grid, and what is asked for.
struct PlannedRun {
  Configuration configuration;
  std::int64_t repetition = 1;  // from 1
  RunOrder asked;               // without a key
};

// How the options of a training are read: the words behind 'tacho train'. (The command line's own
// reader, which this folder cannot see.)
using ReadTraining = std::function<Result<RunOrder>(std::span<const std::string> words)>;
// … and of a program to watch.
using ReadProgram = std::function<Result<RunOrder>(const std::vector<std::string>& argv,
                                                   const Configuration& configuration)>;
// What a run costs compared with others, in any unit.
using EstimateCost = std::function<Result<double>(const RunOrder& order)>;

struct PlanReaders {
  ReadTraining training;
  ReadProgram program;
  EstimateCost cost;  // for order: cheapest-first
};

// Every run of a grid in the order in which they are to be made; with order: adaptive as given,
// because whoever makes them chooses. An error names the configuration
// that makes no sense.
Result<std::vector<PlannedRun>> plan_runs(const Grid& grid, const PlanReaders& readers);

// "mlp --batch=32 --stock=true", as 'tacho train' takes them.
std::vector<std::string> train_words(const Configuration& configuration);

}  // namespace tacho
