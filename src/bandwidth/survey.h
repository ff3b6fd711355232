#pragma once

// What the memory lab found: measurements, what they are held against, and where a form's time
// went. A record of its own kind; the same for CPUs and GPUs.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bandwidth/operation.h"
#include "base/json_object.h"
#include "base/result.h"

namespace tacho::bandwidth {

// What the hardware counted, by name: "cycles", "instructions", "llc_misses", "memory_read_bytes",
// "memory_write_bytes". What could not be counted is missing, never 0.
using Counts = std::map<std::string, double>;

struct Measurement {
  Operation operation = Operation::copy;
  std::string form;
  std::string level;                 // where the data lies: "L1", "memory", "host link"
  std::string element;               // "f32"
  std::int64_t threads = 0;          // of a CPU; 0 on a GPU
  std::int64_t set_bytes = 0;        // of all arrays together
  std::int64_t necessary_bytes = 0;  // of one pass
  std::int64_t moved_bytes = 0;      // by design; what caches save or add is not in it
  double seconds = 0;                // of one pass, the median
  double fastest_seconds = 0;
  double slowest_seconds = 0;
  std::int64_t samples = 0;
  std::string waste;        // why more bytes move than must
  std::string limit;        // what slows it down besides
  bool is_ceiling = false;  // what others at this level are held against
  Counts counts = {};       // of one pass, all threads together

  // By the bytes that must move: what a user gets.
  [[nodiscard]] double bytes_per_s() const {
    return static_cast<double>(necessary_bytes) / seconds;
  }
  [[nodiscard]] double excess() const {
    return static_cast<double>(moved_bytes) / static_cast<double>(necessary_bytes);
  }
  bool operator==(const Measurement&) const = default;
};

struct Survey {
  std::string key;  // unique, and in the order of time
  std::string at;   // UTC
  std::string tacho_commit;
  std::string device;   // "cpu", "cuda"
  std::string machine;  // the processor's or the GPU's name
  std::string facts;    // caches, pages, driver: what explains the figures
  bool quick = false;
  bool complete = true;        // false: ended before its time
  std::string uncounted = {};  // why there are no counts of the hardware; "" where there are
  std::optional<double> theoretical_bytes_per_s = {};  // by the data sheet; not known of most CPUs
  std::vector<Measurement> measurements;
  bool operator==(const Survey&) const = default;
};

// Bytes that missed the last cache, by lines of 64, over the necessary ones; none where uncounted.
std::optional<double> missed_share(const Measurement& measurement);
// Bytes that the memory's controllers moved for the whole machine, over the necessary ones.
std::optional<double> memory_share(const Measurement& measurement);
std::optional<double> instructions_per_cycle(const Measurement& measurement);

Json to_json(const Survey& survey);
Result<Survey> survey_from_json(const Json& json);

// The levels in the order in which they were measured.
std::vector<std::string> levels_of(const Survey& survey);

// The measurement that others of the level are held against: the one marked so, else the fastest.
// None where the level has none.
const Measurement* ceiling_at(const Survey& survey, const std::string& level);

// How much slower than the ceiling, and why: loss = by_bytes × rest.
struct Loss {
  double factor = 1;
  double by_bytes = 1;
  double rest = 1;
  std::string words;
};
Loss loss_of(const Measurement& measurement, const Measurement& ceiling);

}  // namespace tacho::bandwidth
