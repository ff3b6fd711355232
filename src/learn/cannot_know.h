#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

// The answer to a question that nothing known bears on, with the reason and, if there is one, the
// way to find out.
inline Error cannot_know(std::string_view why) {
  return {ErrorCode::unavailable, "I cannot know this: " + std::string(why)};
}

}  // namespace tacho
