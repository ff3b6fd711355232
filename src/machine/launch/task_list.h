#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "machine/launch/launcher.h"

namespace tacho {

// Checks what every launcher needs: a name that is valid for jobs and folders, unique keys, and
// commands that can be passed on.
Result<void> check_batch(const std::string& batch, std::span<const Task> tasks);
Result<void> check_batch_name(const std::string& batch);

// Write and read tasks as lines of JSON, so that one task can be read without parsing the others. A
// text that is not UTF-8 is an error, because it would change.
Result<std::string> write_tasks(std::span<const Task> tasks);
Result<Task> read_task(std::string_view lines, std::size_t index);
Result<std::vector<std::string>> read_keys(std::string_view lines);

// Return the largest needs and the longest time limit; no limit if a task has none.
Resources largest_needs(std::span<const Task> tasks);
std::optional<Seconds> longest_limit(std::span<const Task> tasks);

}  // namespace tacho
