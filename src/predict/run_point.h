#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "predict/own_model_costs.h"
#include "predict/own_run.h"

namespace tacho {

// What two runs may have in common.
enum class RunLabel : std::uint8_t {
  model,
  precision,
  layout,
  size,       // of a sample
  optimizer,  // and what else is done once a step
  data,
  input,     // threads that make batches
  graphs,    // one graph a step, or launch by launch
  software,  // torch, and where it lives
  host,      // the processor around a GPU
  ranks,
};
inline constexpr std::size_t kRunLabels = 11;

// The parts that a figure of a run is made of: what stays from batch to batch, what grows with it,
// and what the host needs to launch a step; the larger of the sum of the first two and the last.
// The drift is by how much the device departs from the sum of its parts.
enum class Part : std::uint8_t { fixed, samples, host, drift };
inline constexpr std::array kAllParts = {Part::fixed, Part::samples, Part::host, Part::drift};
inline constexpr std::size_t kParts = kAllParts.size();
using RunParts = EnumArray<Part, double, kParts>;

struct RunPoint {
  EnumArray<RunLabel, std::int16_t, kRunLabels> labels{};
  double log_batch = 0;
  double log_threads = 0;
  // Logarithms, as the machine's nominal rates have it; minus infinity: there is no such part.
  RunParts step{};
  RunParts memory{};
};

// On a GPU, without a graph of the whole step; none is captured where a step gathers gradients of
// several batches.
bool launches_one_by_one(const RunSpec& spec);

// Makes points, with numbers for words, so that points are compared quickly.
class RunPoints {
 public:
  explicit RunPoints(OwnModelCosts costs) : costs_(std::move(costs)) {}

  // `threads`: that computed; 0 where it is not known: what the worker would take.
  Result<RunPoint> add(const RunSpec& spec, const Host& host, const std::string& torch_version,
                       std::int64_t threads);
  // The same for a run to come: a word that no run had is like no other.
  [[nodiscard]] Result<RunPoint> look_up(const RunSpec& spec, const Host& host,
                                         const std::string& torch_version) const;

 private:
  OwnModelCosts costs_;
  std::array<std::map<std::string, std::int16_t>, kRunLabels> words_;
};

}  // namespace tacho
