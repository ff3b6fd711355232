#pragma once

// Results of tacho bench memory for CPUs and GPUs: measurements, their ceilings, and the causes of
// losses.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "microbench/memory/operation.h"

namespace tacho::bandwidth {

// Hardware counters by name: "cycles", "instructions", "llc_misses", "memory_read_bytes",
// "memory_write_bytes". A counter that could not be read is missing, never 0.
using Counts = std::map<std::string, double>;

struct Measurement {
  Operation operation = Operation::copy;
  std::string form;
  std::string level;                 // location of the data: "L1", "memory", "host link"
  std::string element;               // "f32"
  std::int64_t threads = 0;          // CPU threads; 0 on a GPU
  std::int64_t set_bytes = 0;        // working set: all arrays together
  std::int64_t necessary_bytes = 0;  // per pass
  std::int64_t moved_bytes = 0;      // per pass, by design; without effects of caches
  double seconds = 0;                // median of the passes
  double fastest_seconds = 0;
  double slowest_seconds = 0;
  std::int64_t samples = 0;
  std::string waste;        // why it moves more bytes than necessary
  std::string limit;        // other causes of slowness
  bool is_ceiling = false;  // the others at this level are compared with it
  Counts counts = {};       // per pass, all threads together

  // Counts necessary bytes only.
  [[nodiscard]] double bytes_per_s() const {
    return static_cast<double>(necessary_bytes) / seconds;
  }
  [[nodiscard]] double excess() const {
    return static_cast<double>(moved_bytes) / static_cast<double>(necessary_bytes);
  }
  bool operator==(const Measurement&) const = default;
};

struct Survey {
  std::string key;  // unique; sorts by time
  std::string at;   // UTC
  std::string tacho_commit;
  std::string device;   // "cpu", "cuda"
  std::string machine;  // name of the CPU or GPU
  std::string facts;    // caches, pages, driver
  bool quick = false;
  bool complete = true;        // false if interrupted
  std::string uncounted = {};  // why there are no hardware counts; "" if there are
  std::optional<double> theoretical_bytes_per_s = {};  // from the data sheet; unknown for most CPUs
  std::vector<Measurement> measurements;
  bool operator==(const Survey&) const = default;
};

// Returns the bytes that missed the last-level cache (64 per miss) over the necessary bytes;
// nothing if they were not counted.
std::optional<double> missed_share(const Measurement& measurement);
// Returns the bytes moved by the memory controllers of the whole machine over the necessary bytes.
std::optional<double> memory_share(const Measurement& measurement);
std::optional<double> instructions_per_cycle(const Measurement& measurement);

Json to_json(const Survey& survey);
Result<Survey> survey_from_json(const Json& json);

// Returns the levels in the order of measurement.
std::vector<std::string> levels_of(const Survey& survey);

// Returns the measurement that the others of the level are compared with: the one marked as
// ceiling, else the fastest. Returns nullptr if the level has no measurements.
const Measurement* ceiling_at(const Survey& survey, const std::string& level);

// Slowdown relative to the ceiling and its causes: factor = by_bytes × rest.
struct Loss {
  double factor = 1;
  double by_bytes = 1;
  double rest = 1;
  std::string words;
};
Loss loss_of(const Measurement& measurement, const Measurement& ceiling);

}  // namespace tacho::bandwidth
