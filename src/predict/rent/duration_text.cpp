#include "predict/rent/duration_text.h"

#include <fmt/format.h>

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
  const double size = std::abs(value);
  const int decimals = size < 0.995 ? 3 : size < 9.95 ? 2 : size < 99.5 ? 1 : 0;
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
