#include "predict/rent/duration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tacho {
namespace {

struct TimeUnit {
  std::string_view name;
  double seconds;
  double most;  // longer times have a larger unit
};
constexpr std::array<TimeUnit, 5> kUnits = {{{"ms", 1e-3, 1},
                                             {"s", 1, 120},
                                             {"min", 60, 120 * 60.0},
                                             {"h", 3600, 72 * 3600.0},
                                             {"d", 86400, HUGE_VAL}}};

}  // namespace

std::string three_figures(double value) {
  // 0.995 rounds to 1.00.
  const double magnitude = value == 0 ? -1 : std::floor(std::log10(std::abs(value) / 0.995));
  const int decimals = std::clamp(2 - static_cast<int>(magnitude), 0, 6);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string duration_text(const Estimate& seconds) {
  std::size_t unit = 0;
  while (seconds.value >= kUnits[unit].most) ++unit;
  const auto amount = [&](double value) { return three_figures(value / kUnits[unit].seconds); };
  return fmt::format("{} {} ({}-{})", amount(seconds.value), kUnits[unit].name, amount(seconds.low),
                     amount(seconds.high));
}

}  // namespace tacho
