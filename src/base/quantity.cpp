#include "base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace tacho {
namespace {

// Removes a non-negative number from the front of `text`.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  return number;
}

std::optional<double> take_unit_seconds(std::string_view& text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  for (const Unit& unit : {Unit{"ms", 1e-3}, Unit{"h", 3600}, Unit{"m", 60}, Unit{"s", 1}}) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return unit.seconds;
  }
  return std::nullopt;
}

}  // namespace

Result<Seconds> parse_duration(std::string_view text) {
  Seconds sum{0};
  std::string_view rest = text;
  do {
    const auto number = take_number(rest);
    const auto unit = number ? take_unit_seconds(rest) : std::nullopt;
    if (!unit) {
      return Error{
          ErrorCode::usage,
          fmt::format("'{}' is not a valid duration; write one like 90s, 10m or 1h30m", text)};
    }
    sum += Seconds(*number * *unit);
  } while (!rest.empty());
  return sum;
}

Result<Bytes> parse_bytes(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  constexpr double kMost = 1LL << 60;
  const Error wrong{ErrorCode::usage,
                    fmt::format("'{}' is not a valid size; write one like 512M or 2G", text)};
  std::string_view rest = text;
  const auto number = take_number(rest);
  if (!number) return wrong;
  if (rest == "B") return Bytes{static_cast<std::int64_t>(std::min(*number, kMost))};
  const auto unit = rest.empty() ? std::string_view::npos : kUnits.find(rest.front());
  if (unit == std::string_view::npos) return wrong;
  rest.remove_prefix(1);
  if (!rest.empty() && rest != "iB" && rest != "B") return wrong;
  const double bytes = std::ldexp(*number, 10 * (static_cast<int>(unit) + 1));
  if (bytes > kMost) return wrong;
  return Bytes{static_cast<std::int64_t>(bytes)};
}

Result<double> parse_percent(std::string_view text) {
  std::string_view rest = text;
  const auto number = take_number(rest);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (number && rest == "%") return *number / 100;
  return Error{ErrorCode::usage,
               fmt::format("'{}' is not a valid percentage; write one like 1%", text)};
}

}  // namespace tacho
