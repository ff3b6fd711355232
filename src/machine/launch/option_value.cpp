#include "machine/launch/option_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/parse_number.h"

namespace tacho {
namespace {

Error bad_value(std::string_view name, const std::string& text, std::string_view what) {
  return {ErrorCode::usage, fmt::format("option {}={}: {}", name, text, what)};
}

}  // namespace

Result<std::int64_t> read_count(std::string_view name, const std::string& text) {
  const auto count = parse_number<std::int64_t>(text);
  if (count && *count >= 0) return *count;
  return bad_value(name, text, "must be a whole number, such as 4");
}

Result<Bytes> read_bytes(std::string_view name, const std::string& text) {
  double amount = 0;
  const char* end = text.data() + text.size();
  const auto [at, problem] = std::from_chars(text.data(), end, amount);
  const std::string_view unit(at, static_cast<std::size_t>(end - at));
  const auto power = std::string_view("KMGT").find(unit);
  if (problem == std::errc{} && unit.size() == 1 && power != std::string_view::npos) {
    amount *= std::pow(1024.0, static_cast<double>(power) + 1);
    if (amount >= 1 && amount < 9e18) return Bytes{static_cast<std::int64_t>(amount)};
  }
  return bad_value(name, text, "must be a number with K, M, G or T, such as 800M or 1.5G");
}

Result<void> check_value(std::string_view name, const std::string& text) {
  if (text.empty()) return bad_value(name, text, "has no value");
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return bad_value(name, "…", "control characters cannot be passed on");
  }
  return {};
}

}  // namespace tacho
