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
#include "sweep/configuration.h"

namespace tacho {

// In which order the runs of a sweep are made.
enum class SweepOrder { given, random, cheapest_first, adaptive };
inline constexpr Names<SweepOrder, 4> kSweepOrders{"order",
                                                   {{{SweepOrder::given, "given"},
                                                     {SweepOrder::random, "random"},
                                                     {SweepOrder::cheapest_first, "cheapest-first"},
                                                     {SweepOrder::adaptive, "adaptive"}}}};

// An option and the values it takes, one run each.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

struct RunLimits {
  std::optional<Seconds> time = {};
  std::optional<Bytes> memory = {};
};

// What the whole sweep may take. What is left over stays to be resumed with more.
struct SweepBudget {
  std::optional<double> hours = {};
  std::optional<std::int64_t> runs = {};
};

// What one run is given of a machine. Absent: what its configuration tells.
struct RunNeeds {
  std::optional<double> cores = {};
  std::optional<Bytes> memory = {};
  std::optional<std::int64_t> gpus = {};
};

struct LauncherWish {
  std::string kind = "local";
  std::optional<std::int64_t> slots = {};
  std::map<std::string, std::string> options = {};  // the launcher's own
};

// What a grid.yaml asks for.
struct Grid {
  std::string name;
  std::vector<std::string> command;  // a program to watch; empty: trainings
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
  LauncherWish launcher;
};

// `options`: what `base`, `matrix`, `include` and `exclude` may name for a training. `file` is the
// text's name in messages, which say line and column.
Result<Grid> read_grid(std::string_view text, std::string_view file,
                       std::span<const std::string> options);
// Of a grid within another file.
Result<Grid> read_grid(const YamlNode& root, std::string_view file,
                       std::span<const std::string> options);

// What configurations of a watched program may name beside what its command holds in braces.
inline constexpr std::array<std::string_view, 4> kProgramOptions = {"batch", "env", "folder",
                                                                    "tensorboard"};

// The words of a program with {name} replaced, for every name the configuration has.
std::vector<std::string> filled_in(std::span<const std::string> command,
                                   const Configuration& configuration);

}  // namespace tacho
