#include "core/record/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/nearest.h"
#include "base/units.h"

namespace tacho {

Result<const Metric*> find_metric(std::string_view key) {
  const auto* at = std::find_if(metric::kAll.begin(), metric::kAll.end(),
                                [key](const Metric& m) { return m.key == key; });
  if (at != metric::kAll.end()) return at;
  std::vector<std::string_view> known;
  for (const Metric& m : metric::kAll) known.push_back(m.key);
  return Error{ErrorCode::usage, unknown_name("metric", key, known)};
}

std::string human(const Metric& metric, double value) {
  switch (metric.unit) {
    case Unit::share:
      return human_share(value);
    case Unit::seconds:
      return human(Seconds(value));
    case Unit::bytes:
      return human(Bytes{static_cast<std::int64_t>(value)});
    case Unit::bytes_per_second:
      return human(Bytes{static_cast<std::int64_t>(value)}) + "/s";
    case Unit::per_second:
      return human_count(value) + " /s";
    case Unit::count:
      return human_count(value);
    case Unit::none:
      break;
  }
  return fmt::format("{:.4g}", value);
}

std::string_view unit_text(Unit unit) {
  switch (unit) {
    case Unit::seconds:
      return "s";
    case Unit::bytes:
      return "B";
    case Unit::bytes_per_second:
      return "B/s";
    case Unit::per_second:
      return "1/s";
    case Unit::share:
    case Unit::count:
    case Unit::none:
      break;
  }
  return "";
}

}  // namespace tacho
