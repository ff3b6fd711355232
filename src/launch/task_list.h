#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "launch/launcher.h"

namespace tacho {

// What every launcher asks of a batch: a name that can name jobs and folders, keys that differ,
// commands that can be handed on.
Result<void> check_batch(const std::string& batch, std::span<const Task> tasks);
Result<void> check_batch_name(const std::string& batch);

// Tasks as lines of JSON, so that whoever takes one reads no other. An error where a text is not
// UTF-8: it could not be handed on as it is.
Result<std::string> write_tasks(std::span<const Task> tasks);
Result<Task> read_task(std::string_view lines, std::size_t index);
Result<std::vector<std::string>> read_keys(std::string_view lines);

// What the largest of them needs, and the longest time; no limit where one has none.
Resources largest_needs(std::span<const Task> tasks);
std::optional<Seconds> longest_limit(std::span<const Task> tasks);

}  // namespace tacho
