#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "predict/speed/own_model_costs.h"
#include "predict/speed/own_run.h"

namespace tacho {

// Properties that two runs may have in common.
enum class RunLabel : std::uint8_t {
  model,
  precision,
  layout,
  size,       // of a sample
  optimizer,  // and other work once per step
  data,
  input,     // threads that prepare batches
  graphs,    // one graph per step, or single launches
  software,  // version of torch and environment
  host,      // processor of a machine with a GPU
  ranks,
};
inline constexpr std::size_t kRunLabels = 11;

// The parts of a quantity: constant, proportional to the batch, and the host's time to launch a
// step. The result is the larger of the sum of the first two and the last. Drift is the device's
// deviation from the sum of its parts.
enum class Part : std::uint8_t { fixed, samples, host, drift };
inline constexpr std::array kAllParts = {Part::fixed, Part::samples, Part::host, Part::drift};
inline constexpr std::size_t kParts = kAllParts.size();
using RunParts = EnumArray<Part, double, kParts>;

struct RunPoint {
  EnumArray<RunLabel, std::int16_t, kRunLabels> labels{};
  double log_batch = 0;
  double log_threads = 0;
  // Logarithms at nominal rates; minus infinity: no such part.
  RunParts step{};
  RunParts memory{};
};

// True on a GPU without a graph of the whole step; steps that accumulate gradients of several
// batches are not captured.
bool launches_one_by_one(const RunSpec& spec);

// The threads that a run computes with. `seen`: of a finished run; 0: unknown, the worker's
// default.
double threads_of(const RunSpec& spec, const Host& host, std::int64_t seen);

// The bytes of memory that a run needs at nominal rates.
double nominal_memory_bytes(const RunSpec& spec, const OwnModelCost& cost);

// Creates points, with numbers for words for fast comparisons.
class RunPoints {
 public:
  explicit RunPoints(OwnModelCosts costs) : costs_(std::move(costs)) {}

  // `threads`: that computed; 0: unknown, the worker's default is used.
  Result<RunPoint> add(const RunSpec& spec, const Host& host, const std::string& torch_version,
                       std::int64_t threads);
  // For a new run: a word that no run has equals no other.
  [[nodiscard]] Result<RunPoint> look_up(const RunSpec& spec, const Host& host,
                                         const std::string& torch_version) const;

 private:
  OwnModelCosts costs_;
  std::array<std::map<std::string, std::int16_t>, kRunLabels> words_;
};

}  // namespace tacho
