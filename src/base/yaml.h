#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

struct YamlEntry;

// One value of a YAML document with its position. Scalars keep their text: `on` does not become
// true, nor 010 become 8.
struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;  // of a scalar
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // keys are unique scalars
  int line = 0;                    // from 1
  int column = 0;                  // from 1

  [[nodiscard]] const YamlNode* find(std::string_view key) const;
};

struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

// Returns the name for error messages: "a single value", "a list".
std::string_view kind_name(YamlNode::Kind kind);

// Returns "grid.yaml:3:7: WHAT", a position that editors recognise.
Error yaml_error(std::string_view file, const YamlNode& at, std::string_view what);

// Reads `text` as a single document; `file` is its name in messages. Never throws. Aliases are
// copied; a document that grows too large that way is refused.
Result<YamlNode> parse_yaml(std::string_view text, std::string_view file);

}  // namespace tacho
