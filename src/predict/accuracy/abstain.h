#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

// An abstention: the reason and, if possible, what to do about it.
inline Error abstain(std::string_view why) {
  return {ErrorCode::unavailable, "no prediction: " + std::string(why)};
}

}  // namespace tacho
