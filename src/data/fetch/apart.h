#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace tacho {

// What `work` returns, done in a process of its own: for a library that a damaged file may crash.
// Such an end, and more than 20 s of processor time or 512 MiB, is ErrorCode::invalid.
Result<std::string> run_apart(const std::function<std::string()>& work);

}  // namespace tacho
