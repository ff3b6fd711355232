#include "machine/comm/slurm_lists.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "base/parse_number.h"

namespace tacho {
namespace {

// Larger than any cluster; a list that expands to more is not Slurm's.
constexpr std::size_t kMostHosts = 1 << 17;

Error malformed(std::string_view what, std::string_view list) {
  return {ErrorCode::invalid, fmt::format("'{}' is not a valid {}", list, what)};
}

// Splits at commas outside brackets.
std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (list[at] == '[') inside = true;
    if (list[at] == ']') inside = false;
    if (list[at] != ',' || inside) continue;
    parts.push_back(list.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(list.substr(begin));
  return parts;
}

// Appends the numbers of "1-3", "007-012" or "5" as texts, because leading zeros are part of a
// name. Returns false if it is not a range or has more than `most` numbers.
bool add_range(std::string_view range, std::size_t most, std::vector<std::string>& out) {
  const std::size_t dash = range.find('-');
  const std::string_view low_text = range.substr(0, dash);
  const std::string_view high_text =
      dash == std::string_view::npos ? low_text : range.substr(dash + 1);
  const auto low = parse_number<std::uint64_t>(low_text);
  const auto high = parse_number<std::uint64_t>(high_text);
  if (!low || !high || *low > *high || *high - *low >= most - out.size()) return false;
  for (std::uint64_t i = 0; i <= *high - *low; ++i) {
    out.push_back(fmt::format("{:0{}}", *low + i, low_text.size()));
  }
  return true;
}

// Appends every ending to every name. Returns false if the result is too large.
bool multiply(std::vector<std::string>& names, const std::vector<std::string>& endings) {
  if (names.size() * endings.size() > kMostHosts) return false;
  std::vector<std::string> longer;
  longer.reserve(names.size() * endings.size());
  for (const std::string& name : names) {
    for (const std::string& ending : endings) longer.push_back(name + ending);
  }
  names = std::move(longer);
  return true;
}

// Expands one part of the list. Returns nothing if it is not a name or expands to too many.
std::optional<std::vector<std::string>> expand_name(std::string_view part) {
  if (part.empty() || part.find_first_of(" \t\n") != std::string_view::npos) return std::nullopt;
  std::vector<std::string> names{""};
  while (!part.empty()) {
    const std::size_t open = part.find_first_of("[]");
    const std::string_view plain = part.substr(0, open);
    if (!multiply(names, {std::string(plain)})) return std::nullopt;
    if (open == std::string_view::npos) return names;
    const std::size_t close = part.find(']', open);
    if (part[open] == ']' || close == std::string_view::npos) return std::nullopt;
    std::vector<std::string> numbers;
    std::string_view ranges = part.substr(open + 1, close - open - 1);
    for (const std::string_view range : split(ranges)) {
      if (!add_range(range, kMostHosts, numbers)) return std::nullopt;
    }
    if (!multiply(names, numbers)) return std::nullopt;
    part = part.substr(close + 1);
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> expand_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  for (const std::string_view part : split(list)) {
    auto names = expand_name(part);
    if (!names || hosts.size() + names->size() > kMostHosts) {
      return malformed("Slurm node list such as node[1-3]", list);
    }
    hosts.insert(hosts.end(), names->begin(), names->end());
  }
  return hosts;
}

Result<std::int64_t> tasks_on_node(std::string_view list, std::int64_t node) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  std::int64_t before = 0;
  std::optional<std::int64_t> found;
  for (std::string_view part : split(list)) {
    std::optional<std::uint64_t> repeats = 1;
    if (const std::size_t open = part.find("(x"); open != std::string_view::npos) {
      if (part.back() != ')') repeats = std::nullopt;
      if (repeats)
        repeats = parse_number<std::uint64_t>(part.substr(open + 2, part.size() - open - 3));
      part = part.substr(0, open);
    }
    const auto tasks = parse_number<std::uint64_t>(part);
    if (!tasks || !repeats || *tasks > kMost || *repeats < 1 || *repeats > kMost) {
      return malformed("Slurm list of tasks per node such as 2(x3),1", list);
    }
    if (!found && node >= before && node < before + static_cast<std::int64_t>(*repeats)) {
      found = static_cast<std::int64_t>(*tasks);
    }
    before += static_cast<std::int64_t>(*repeats);
  }
  if (found) return *found;
  return Error{ErrorCode::invalid, fmt::format("'{}' has no entry for node {}", list, node)};
}

}  // namespace tacho
