#include "experiments/sweep/grid_values.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/yaml_object.h"

namespace tacho {
namespace {

Result<std::vector<std::string>> range_of(const YamlNode& node, std::string_view file) {
  YamlObject object(node, file);
  std::optional<double> from;
  std::optional<double> to;
  std::optional<double> step;
  std::optional<double> factor;
  object.read("from", from);
  object.read("to", to);
  object.read("step", step);
  object.read("factor", factor);
  TACHO_CHECK(object.finish());
  if (!from || !to) return yaml_error(file, node, "a range needs 'from' and 'to'");
  if (step && factor) return yaml_error(file, node, "a range has either a 'step' or a 'factor'");
  if (*to < *from) return yaml_error(file, node, "'to' is less than 'from'");
  if (factor && (*factor <= 1 || *from <= 0)) {
    return yaml_error(file, node, "'factor' must be above 1 and 'from' above 0");
  }
  if (!factor && step.value_or(1) <= 0) return yaml_error(file, node, "'step' must be above 0");
  std::vector<std::string> values;
  // A step such as 0.1 is not exact in binary: the last value may slightly exceed `to`.
  const double end = *to + (std::fabs(*to) + std::fabs(*from)) * 1e-9;
  double value = *from;
  while (value <= end) {
    if (std::ssize(values) >= kMostValues) {
      return yaml_error(file, node, fmt::format("more than {} values", kMostValues));
    }
    values.push_back(fmt::format("{:.12g}", value));
    value =
        factor ? value * *factor : *from + step.value_or(1) * static_cast<double>(values.size());
  }
  return values;
}

}  // namespace

Result<std::string> value_of(const YamlNode& node, std::string_view file) {
  if (node.kind == YamlNode::Kind::scalar) return node.text;
  return yaml_error(file, node,
                    fmt::format("expected a single value, not {}", kind_name(node.kind)));
}

Result<std::vector<std::string>> values_of(const YamlNode& node, std::string_view file) {
  if (node.kind != YamlNode::Kind::list) {
    return yaml_error(file, node, fmt::format("expected a list, not {}", kind_name(node.kind)));
  }
  std::vector<std::string> values;
  for (const YamlNode& item : node.items) {
    TACHO_TRY(value, value_of(item, file));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::vector<std::string>> list_or_range(const YamlNode& node, std::string_view file) {
  if (node.kind == YamlNode::Kind::map) return range_of(node, file);
  TACHO_TRY(values, values_of(node, file));
  if (values.empty()) return yaml_error(file, node, "the list is empty");
  return values;
}

Result<std::vector<std::string>> one_or_more(const YamlNode& node, std::string_view file) {
  if (node.kind == YamlNode::Kind::scalar) return std::vector{node.text};
  return list_or_range(node, file);
}

}  // namespace tacho
