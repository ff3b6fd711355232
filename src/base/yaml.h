#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

struct YamlEntry;

// One value of a YAML document and where it stands. Scalars stay the text they were written as:
// nothing turns `on` into true or 010 into 8.
struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;  // of a scalar
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // keys are scalars, each there once
  int line = 0;                    // from 1
  int column = 0;                  // from 1

  [[nodiscard]] const YamlNode* find(std::string_view key) const;
};

struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

// "a text", "a list": what an error message calls it.
std::string_view kind_name(YamlNode::Kind kind);

// "grid.yaml:3:7: WHAT", which editors follow.
Error yaml_error(std::string_view file, const YamlNode& at, std::string_view what);

// Reads the one document of `text`; `file` is its name in messages. Never throws. An alias stands
// for a copy; a document that would grow beyond all reason that way is refused.
Result<YamlNode> parse_yaml(std::string_view text, std::string_view file);

}  // namespace tacho
