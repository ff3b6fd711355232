#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// Who waits for an image: is told what is being done and how far it is, and may have enough of it.
struct BuildWatch {
  // A new step, in words: "unpacking the base".
  std::function<void(std::string_view step)> begin = [](std::string_view) {};
  // Several times a second while it goes on; the last line its program printed.
  std::function<void(std::string_view last_line)> tick = [](std::string_view) {};
  std::function<bool()> stopped = [] { return false; };
};

Error stopped_by_user();

// Runs one step to its end, its output kept in `log`. Its error is what the program complained of,
// with `step` in front. A program that is stopped is asked to end (SIGTERM), so that it clears up
// behind itself, and killed if it does not.
Result<void> run_step(std::string_view step, Command command, const std::filesystem::path& log,
                      const BuildWatch& watch);

// The line by which a program's output says why it failed: the last that speaks of an error, else
// the last.
std::string complaint_in(std::string_view output);

}  // namespace tacho
