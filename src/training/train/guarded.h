#pragma once

#include <exception>
#include <new>
#include <string>

#include "base/result.h"
#include "training/train/torch_api.h"

namespace tacho {

// Returns the first line of the message: torch appends a backtrace.
inline std::string first_line(const std::exception& problem) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&problem);
  const std::string what =
      torch_error != nullptr ? torch_error->what_without_backtrace() : problem.what();
  return what.substr(0, what.find('\n'));
}

// Converts torch's exceptions at the edge of the one folder that may use it. Out of memory has a
// separate code: it is an outcome, not a mistake.
inline Error error_of(const std::exception& problem) {
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr) {
    return {ErrorCode::out_of_memory, "the system is out of memory"};
  }
  const std::string what = first_line(problem);
  const bool no_memory = what.find("out of memory") != std::string::npos ||
                         what.find("can't allocate memory") != std::string::npos;
  if (no_memory) return {ErrorCode::out_of_memory, what};
  return {ErrorCode::failed, "torch: " + what};
}

// Calls `work`, which returns a Result, and converts exceptions to one.
template <class Work>
auto guarded(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& problem) {
    return error_of(problem);
  }
}

}  // namespace tacho
