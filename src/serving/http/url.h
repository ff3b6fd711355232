#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serving/http/message.h"

namespace tacho::http {

// The target in a request's first line: "/api/v1/runs?sort=top1".
struct Target {
  std::vector<std::string> segments;  // "/" has none; "/a/" is {"a", ""}
  std::vector<Field> query;
};
// Rejects anything but a path, a % without two digits, and control characters.
Result<Target> parse_target(std::string_view text);

// Decodes "%3C" and, in a query, "+".
Result<std::string> percent_decoded(std::string_view text, bool plus_is_space);
// Encodes everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace tacho::http
