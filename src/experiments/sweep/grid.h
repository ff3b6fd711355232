#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "base/units.h"
#include "base/yaml.h"
#include "core/record/configuration.h"

namespace tacho {

// The order in which a sweep executes its runs.
enum class SweepOrder { given, random, cheapest_first, adaptive };
inline constexpr Names<SweepOrder, 4> kSweepOrders{"order",
                                                   {{{SweepOrder::given, "given"},
                                                     {SweepOrder::random, "random"},
                                                     {SweepOrder::cheapest_first, "cheapest-first"},
                                                     {SweepOrder::adaptive, "adaptive"}}}};

// An option and its values; each value is one run.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

struct RunLimits {
  std::optional<Seconds> time = {};
  std::optional<Bytes> memory = {};
};

// Limits of the whole sweep. Runs beyond them stay pending and can be resumed with a larger budget.
struct SweepBudget {
  std::optional<double> hours = {};
  std::optional<std::int64_t> runs = {};
};

// The resources of one run. Absent: derived from its configuration.
struct RunNeeds {
  std::optional<double> cores = {};
  std::optional<Bytes> memory = {};
  std::optional<std::int64_t> gpus = {};
};

struct LauncherRequest {
  std::string kind = "local";
  std::optional<std::int64_t> slots = {};
  std::map<std::string, std::string> options = {};  // options of the launcher
};

// The contents of a grid.yaml.
struct Grid {
  std::string name;
  std::vector<std::string> command;  // a program to watch; empty for trainings
  Configuration base;
  std::vector<Axis> matrix;
  std::vector<Configuration> include;
  std::vector<Configuration> exclude;
  std::vector<std::int64_t> seeds;
  std::int64_t repeat = 1;
  SweepOrder order = SweepOrder::given;
  RunLimits limits;
  SweepBudget budget;
  RunNeeds needs;
  LauncherRequest launcher;
};

// `options`: the names that `base`, `matrix`, `include` and `exclude` may use for a training. Error
// messages give `file` with line and column.
Result<Grid> read_grid(std::string_view text, std::string_view file,
                       std::span<const std::string> options);
// Reads a grid that is part of another file.
Result<Grid> read_grid(const YamlNode& root, std::string_view file,
                       std::span<const std::string> options);

// Options that a watched program may have in addition to the names in braces in its command.
inline constexpr std::array<std::string_view, 4> kProgramOptions = {"batch", "env", "folder",
                                                                    "tensorboard"};

// Replaces {name} in the words of a command by the option's value.
std::vector<std::string> filled_in(std::span<const std::string> command,
                                   const Configuration& configuration);

}  // namespace tacho
