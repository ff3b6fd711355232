#include "experiments/sweep/combinations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tacho {
namespace {

constexpr std::size_t kMostRuns = 1'000'000;

Result<std::vector<Configuration>> products(const std::vector<Axis>& matrix) {
  std::size_t count = 1;
  for (const Axis& axis : matrix) {
    count *= axis.values.size();
    if (count > kMostRuns) {
      return Error{ErrorCode::usage,
                   fmt::format("the matrix has more than {} configurations", kMostRuns)};
    }
  }
  std::vector<Configuration> all = {Configuration{}};
  for (const Axis& axis : matrix) {
    std::vector<Configuration> longer;
    longer.reserve(all.size() * axis.values.size());
    for (const Configuration& shorter : all) {
      for (const std::string& value : axis.values) {
        longer.push_back(shorter);
        longer.back().set(axis.name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Returns the options of an `include` entry that the matrix has, too.
Configuration of_matrix(const Configuration& entry, const std::vector<Axis>& matrix) {
  Configuration part;
  for (const auto& [name, value] : entry.options()) {
    if (std::ranges::find(matrix, name, &Axis::name) != matrix.end()) part.set(name, value);
  }
  return part;
}

// Extends the combinations of the matrix; appends entries that match none of them.
void include(const Grid& grid, std::vector<Configuration>& all) {
  const auto from_matrix = static_cast<std::ptrdiff_t>(grid.matrix.empty() ? 0 : all.size());
  if (grid.matrix.empty() && !grid.include.empty()) all.clear();
  for (const Configuration& entry : grid.include) {
    const Configuration fixed = of_matrix(entry, grid.matrix);
    bool matches = false;
    for (auto at = all.begin(); at != all.begin() + from_matrix; ++at) {
      if (!at->has(fixed)) continue;
      matches = true;
      for (const auto& [name, value] : entry.options()) at->set(name, value);
    }
    if (!matches) all.push_back(entry);
  }
}

Configuration over(const Configuration& base, const Configuration& own) {
  Configuration whole = base;
  for (const auto& [name, value] : own.options()) whole.set(name, value);
  return whole;
}

// Sorted, because the order of options does not matter.
std::string identity(const Configuration& configuration) {
  std::map<std::string, std::string> sorted(configuration.options().begin(),
                                            configuration.options().end());
  Json json = sorted;
  return json_text(json);
}

Result<void> check_different(const std::vector<Configuration>& all) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [first, is_new] = seen.emplace(identity(all[i]), i);
    if (is_new) continue;
    return Error{ErrorCode::usage,
                 fmt::format("configurations {} and {} are the same ({}); to run a configuration "
                             "several times, use 'repeat'",
                             first->second + 1, i + 1, to_text(all[i]))};
  }
  return {};
}

}  // namespace

Result<std::vector<Configuration>> combinations(const Grid& grid) {
  TACHO_TRY(own, products(grid.matrix));
  std::erase_if(own, [&grid](const Configuration& made) {
    return std::ranges::any_of(grid.exclude,
                               [&made](const Configuration& out) { return made.has(out); });
  });
  include(grid, own);
  std::vector<Configuration> all;
  all.reserve(own.size() * std::max<std::size_t>(grid.seeds.size(), 1));
  for (const Configuration& each : own) {
    const Configuration whole = over(grid.base, each);
    if (grid.seeds.empty()) all.push_back(whole);
    for (const std::int64_t seed : grid.seeds) {
      all.push_back(whole);
      all.back().set("seed", std::to_string(seed));
    }
  }
  if (all.empty()) return Error{ErrorCode::usage, "'exclude' removes every configuration"};
  if (all.size() * static_cast<std::size_t>(grid.repeat) > kMostRuns) {
    return Error{ErrorCode::usage, fmt::format("the grid has more than {} runs", kMostRuns)};
  }
  TACHO_CHECK(check_different(all));
  return all;
}

}  // namespace tacho
