#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"

namespace tacho {

// The values of options in a grid. `file` is named in errors.

inline constexpr std::int64_t kMostValues = 100'000;  // per axis

Result<std::string> value_of(const YamlNode& node, std::string_view file);
Result<std::vector<std::string>> values_of(const YamlNode& node, std::string_view file);
// A list that is not empty, or a range: {from: 1, to: 5, step: 2} is 1, 3, 5; {from: 16, to: 128,
// factor: 2} is 16, 32, 64, 128.
Result<std::vector<std::string>> list_or_range(const YamlNode& node, std::string_view file);
// The same, or a single value.
Result<std::vector<std::string>> one_or_more(const YamlNode& node, std::string_view file);

}  // namespace tacho
