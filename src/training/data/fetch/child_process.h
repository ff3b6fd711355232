#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace tacho {

// Runs `work` in a child process and returns its result: for a library that may crash on a damaged
// file. A crash, more than 20 s of processor time or more than 512 MiB is ErrorCode::invalid.
Result<std::string> run_in_child(const std::function<std::string()>& work);

}  // namespace tacho
