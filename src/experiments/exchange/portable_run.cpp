#include "experiments/exchange/portable_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/secrets.h"

namespace tacho {
namespace {

// Joins `next` to `point` unless a name would lose its value.
bool join(HistoryPoint& point, HistoryPoint& next) {
  if (point.step != next.step || point.unix_seconds != next.unix_seconds) return false;
  const bool again = std::ranges::any_of(
      next.values, [&](const auto& entry) { return point.values.contains(entry.first); });
  if (!again) point.values.merge(next.values);
  return !again;
}

}  // namespace

Error too_large(const std::filesystem::path& source) {
  return {ErrorCode::invalid, fmt::format("{}: more than the {} that can be imported at once; "
                                          "import its parts",
                                          source.string(), human(kLargestImport))};
}

Error too_many_points(const std::filesystem::path& source) {
  return {ErrorCode::invalid,
          fmt::format("{}: more than the {} points that a run can have; keep every tenth line",
                      source.string(), kMostPoints)};
}

std::optional<std::int64_t> step_in(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && !std::in_range<std::int64_t>(value.get<std::uint64_t>())) {
    return std::nullopt;
  }
  return value.get<std::int64_t>();
}

bool is_time(double unix_seconds) {
  constexpr double kYear10000 = 253402300800;
  return unix_seconds >= 0 && unix_seconds < kYear10000;
}

void join_points(std::vector<HistoryPoint>& points) {
  std::ranges::stable_sort(points, {}, [](const HistoryPoint& point) {
    return std::tuple(point.unix_seconds, point.step);
  });
  std::vector<HistoryPoint> joined;
  for (HistoryPoint& point : points) {
    if (joined.empty() || !join(joined.back(), point)) joined.push_back(std::move(point));
  }
  points = std::move(joined);
}

void cover_points(PortableRun& run) {
  for (const HistoryPoint& point : run.points) {
    if (point.unix_seconds == 0) continue;
    if (run.began == 0 || point.unix_seconds < run.began) run.began = point.unix_seconds;
    run.ended = std::max(run.ended, point.unix_seconds);
  }
  run.ended = std::max(run.ended, run.began);
  for (HistoryPoint& point : run.points) {
    if (point.unix_seconds == 0) point.unix_seconds = run.began;
  }
}

void add_numbers(const std::string& name, const Json& value, std::map<std::string, double>& out) {
  if (value.is_number()) {
    out.insert_or_assign(name, value.get<double>());
  } else if (value.is_boolean()) {
    out.insert_or_assign(name, value.get<bool>() ? 1 : 0);
  } else if (value.is_null() || value == "NaN" || value == "Infinity" || value == "-Infinity") {
    out.insert_or_assign(name, std::nan(""));  // records have no infinite numbers
  } else if (value.is_object() && !value.contains("_type")) {
    for (const auto& [key, part] : value.items()) add_numbers(name + "." + key, part, out);
  }
}

void add_settings(const std::string& name, const Json& value,
                  std::map<std::string, std::string>& out) {
  if (names_a_secret(name)) {
    out.insert_or_assign(name, std::string(kMasked));
  } else if (value.is_object() && !value.empty()) {
    for (const auto& [key, part] : value.items()) add_settings(name + "." + key, part, out);
  } else {
    out.insert_or_assign(name, value.is_string() ? value.get<std::string>() : json_text(value));
  }
}

}  // namespace tacho
