#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/yaml.h"

namespace tacho {

using StudyValues = std::map<std::string, YamlNode, std::less<>>;

// With {name} replaced in every text. A text that is nothing else becomes the value itself, be it
// a list; within a longer one a list is written with commas. Other braces are left alone: a sweep's
// command has its own. `room` is how many bytes may be put in, and becomes less: values of values
// would grow without end.
Result<YamlNode> filled_in(const YamlNode& node, const StudyValues& values, std::size_t& room);

// With `old_part` replaced wherever it stands; an empty one stands nowhere.
std::string replaced(std::string_view text, std::string_view old_part, std::string_view new_part);

// On one line, so that equal nodes have equal texts, and parse_yaml() gives the same node back.
std::string flow_text(const YamlNode& node);

}  // namespace tacho
