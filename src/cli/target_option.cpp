#include "cli/target_option.h"

#include <fmt/format.h>

#include "base/parse_number.h"

namespace tacho {

Result<double> parse_number(std::string_view text, std::string_view what) {
  if (const auto value = parse_number<double>(text)) return *value;
  return Error{ErrorCode::usage, fmt::format("{}: '{}' is not a number", what, text)};
}

Result<double> parse_target(std::string_view text) {
  constexpr std::string_view kName = "top1=";
  const std::string_view number = text.starts_with(kName) ? text.substr(kName.size()) : text;
  const auto target = parse_number(number, "--target");
  if (!target.ok() || !(*target > 0 && *target < 1)) {
    return Error{
        ErrorCode::usage,
        fmt::format(
            "--target: '{}' is not a valid accuracy; give one between 0 and 1, such as top1=0.75",
            text)};
  }
  return *target;
}

}  // namespace tacho
