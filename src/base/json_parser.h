#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// Limits above which a text is refused. The depth is always limited, because values are copied and
// written by recursion; the other limits are for input from outside.
struct JsonLimits {
  std::size_t depth = 64;                                         // nested arrays and objects
  std::size_t members = std::numeric_limits<std::size_t>::max();  // of one object
  std::size_t values = std::numeric_limits<std::size_t>::max();   // in all
};

// For the body of an HTTP request.
constexpr JsonLimits kRequestJson = {.members = 1000, .values = 100'000};

// parse_json() without limits uses the default ones. Takes time proportional to the text, plus
// sorting the names of each object. Of members with the same name, the last value is kept at the
// position of the first.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits);

}  // namespace tacho
