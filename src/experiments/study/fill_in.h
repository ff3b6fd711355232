#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/yaml.h"

namespace tacho {

using StudyValues = std::map<std::string, YamlNode, std::less<>>;

// Replaces {name} in every text. A text that consists of {name} only becomes the value itself,
// which may be a list; in a longer text, a list is joined with commas. Unknown names stay, because
// the command of a sweep has its own. `room` is the number of bytes that may be inserted and is
// reduced: values that refer to values could grow without limit.
Result<YamlNode> filled_in(const YamlNode& node, const StudyValues& values, std::size_t& room);

// Replaces every occurrence of `old_part`; an empty one has none.
std::string replaced(std::string_view text, std::string_view old_part, std::string_view new_part);

// Writes a node on one line: equal nodes have equal texts, and parse_yaml() restores the node.
std::string flow_text(const YamlNode& node);

}  // namespace tacho
