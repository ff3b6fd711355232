#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// Callbacks that show the progress of building an image and can stop it.
struct BuildWatch {
  // Called at the start of a step such as "unpacking the base".
  std::function<void(std::string_view step)> begin = [](std::string_view) {};
  // Called about ten times per second during a step, with the last line of its program.
  std::function<void(std::string_view last_line)> tick = [](std::string_view) {};
  std::function<bool()> stopped = [] { return false; };
};

Error stopped_by_user();

// Runs one step to its end, with its output in `log`. The error is `step` and the error line of the
// program. A program that is stopped gets SIGTERM, so that it can clean up, and is killed if it
// does not end.
Result<void> run_step(std::string_view step, Command command, const std::filesystem::path& log,
                      const BuildWatch& watch);

// Returns the line of a program's output that explains a failure: the last one that mentions an
// error, else the last one.
std::string complaint_in(std::string_view output);

}  // namespace tacho
