#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// What a text may hold before it is refused. The depth is limited in every text, because values
// are copied and written by recursion; the rest only where the text comes from outside.
struct JsonLimits {
  std::size_t depth = 64;  // arrays and objects within one another
  std::size_t members = std::numeric_limits<std::size_t>::max();  // of one object
  std::size_t values = std::numeric_limits<std::size_t>::max();   // in all
};

// For the body of an HTTP request.
constexpr JsonLimits kRequestJson = {.members = 1000, .values = 100'000};

// As parse_json() without limits, which is this one with the default ones. Takes time in proportion
// to the text, but for the sorting of an object's names. Of members with one name the last counts,
// in the place of the first.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits);

}  // namespace tacho
