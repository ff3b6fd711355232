#pragma once

#include <string>

#include "base/result.h"

namespace tacho {

inline constexpr const char* kTokenVariable = "TACHO_TOKEN";

// Returns the token in `file` (--token-file), else `option` (--token), else $TACHO_TOKEN, else "".
// Other users can read a command line, so a server has to accept the other two. Refuses a token
// that is short or that would have to be quoted in a URL.
Result<std::string> read_access_token(const std::string& option, const std::string& file);

}  // namespace tacho
