#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "base/units.h"
#include "core/record/event.h"
#include "core/record/history.h"

namespace tacho {

// What every tool records of a run: the form in which runs are imported and exported.
struct PortableRun {
  std::string tool;    // "wandb", "mlflow", "tensorboard", "csv", "jsonl"; "" for a run of Tacho
  std::string id;      // the same whenever this run is imported
  std::string origin;  // in words: "W&B run 3fa8c1"
  std::filesystem::path source;
  RunDescribed described;
  std::vector<std::string> notes;
  double began = 0;  // Unix seconds; 0: unknown
  double ended = 0;
  Outcome outcome = Outcome::ok;
  std::string reason;
  std::vector<HistoryPoint> points;  // in order of time
  std::string output;                // printed by the program
};

// Files that are read into memory.
inline constexpr Bytes kLargestImport{std::int64_t{256} << 20};
[[nodiscard]] Error too_large(const std::filesystem::path& source);

// A point takes about a kilobyte of memory while it is imported.
inline constexpr std::size_t kMostPoints = 2'000'000;
[[nodiscard]] Error too_many_points(const std::filesystem::path& source);

// True for a time that calendars can show.
[[nodiscard]] bool is_time(double unix_seconds);

// Sorts points by time and joins those of the same step and time, as tools write them that store
// each figure alone.
void join_points(std::vector<HistoryPoint>& points);

// Extends the time of the run to all of its points; points without a time (0) get that of its
// start.
void cover_points(PortableRun& run);

// A number as a step; nothing for fractions and numbers beyond 63 bits.
[[nodiscard]] std::optional<std::int64_t> step_in(const Json& value);

// Adds the numbers in a logged value, with dotted names for those in objects: true is 1, "NaN" is a
// number; texts, lists and media are left out.
void add_numbers(const std::string& name, const Json& value, std::map<std::string, double>& out);

// Adds settings as texts, with dotted names for those in objects. Secrets are masked.
void add_settings(const std::string& name, const Json& value,
                  std::map<std::string, std::string>& out);

}  // namespace tacho
