#include "machine/launch/task_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tacho {
namespace {

constexpr std::size_t kLongestName = 40;

Error unfit(const Task& task, const std::string& why) {
  return {ErrorCode::usage, fmt::format("task {}: {}", task.key, why)};
}

Result<void> check(const Task& task) {
  const Command& command = task.command;
  if (task.key.empty()) return Error{ErrorCode::usage, "a task has no key"};
  if (command.argv.empty()) return unfit(task, "it has no program");
  if (command.in || command.out || command.err || !command.inherited.empty() ||
      !command.cgroups.empty() || !command.cpus.empty()) {
    return unfit(task, "descriptors, cgroups and processors cannot be passed to a launcher");
  }
  if (!std::isfinite(task.needs.cores) || task.needs.cores <= 0) {
    return unfit(task, "it needs more than 0 cores");
  }
  if (task.needs.gpus < 0 || task.needs.memory_bytes.value_or(1) <= 0) {
    return unfit(task, "memory and GPUs cannot be negative");
  }
  if (task.time_limit && !(*task.time_limit > Seconds(0))) {
    return unfit(task, "its time limit must be above 0");
  }
  return {};
}

Json to_json(const Task& task) {
  Json json{{"key", task.key}, {"argv", task.command.argv}};
  Json variables = Json::object();
  for (const auto& [name, value] : task.command.environment) variables[name] = value;
  json["environment"] = variables;
  if (task.command.folder) json["folder"] = task.command.folder->string();
  if (task.time_limit) json["time_limit_s"] = task.time_limit->count();
  if (!task.log.empty()) json["log"] = task.log.string();
  return json;
}

Result<std::string> text_of(const Json& json, const char* what) {
  if (json.is_string()) return json.get<std::string>();
  return Error{ErrorCode::invalid, fmt::format("'{}' must contain strings", what)};
}

Result<Task> from_json(const Json& json) {
  Task task;
  JsonObject object(json, "task");
  object.read("key", task.key);
  const Json* argv = object.part("argv");
  const Json* variables = object.part("environment");
  std::optional<std::string> folder;
  std::optional<double> limit;
  std::string log;
  object.read_optional("folder", folder);
  object.read_optional("time_limit_s", limit);
  object.read_optional("log", log);
  TACHO_CHECK(object.finish());
  if (!argv->is_array() || argv->empty()) {
    return Error{ErrorCode::invalid, "'argv' must be a list that starts with a program"};
  }
  for (const Json& word : *argv) {
    TACHO_TRY(text, text_of(word, "argv"));
    task.command.argv.push_back(text);
  }
  if (!variables->is_object()) return Error{ErrorCode::invalid, "'environment' must be an object"};
  for (const auto& [name, value] : variables->items()) {
    TACHO_TRY(text, text_of(value, "environment"));
    task.command.environment[name] = text;
  }
  if (folder) task.command.folder = *folder;
  if (limit) task.time_limit = Seconds(*limit);
  task.log = log;
  return task;
}

// Returns true if the task can be read back. Bytes that are not UTF-8 would be replaced.
bool survives(const Task& task, const std::string& line) {
  const auto json = parse_json(line);
  if (!json.ok()) return false;
  const auto again = from_json(*json);
  return again.ok() && again->key == task.key && again->command.argv == task.command.argv &&
         again->command.environment == task.command.environment &&
         again->command.folder == task.command.folder && again->log == task.log;
}

}  // namespace

Result<void> check_batch_name(const std::string& batch) {
  const auto fits = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!batch.empty() && batch.size() <= kLongestName && batch.front() != '-' &&
      batch.back() != '-' && std::all_of(batch.begin(), batch.end(), fits)) {
    return {};
  }
  return Error{
      ErrorCode::usage,
      fmt::format("'{}' is not a valid batch name; use at most {} lower-case letters, digits and "
                  "'-' between them",
                  batch, kLongestName)};
}

Result<void> check_batch(const std::string& batch, std::span<const Task> tasks) {
  TACHO_CHECK(check_batch_name(batch));
  if (tasks.empty()) return Error{ErrorCode::usage, "batch " + batch + ": no tasks"};
  std::set<std::string_view> keys;
  for (const Task& task : tasks) {
    TACHO_CHECK(check(task).in("batch " + batch));
    if (!keys.insert(task.key).second) {
      return unfit(task, "another task of the batch has the same key").in("batch " + batch);
    }
  }
  return {};
}

Result<std::string> write_tasks(std::span<const Task> tasks) {
  std::string lines;
  for (const Task& task : tasks) {
    const std::string line = json_text(to_json(task));
    if (!survives(task, line)) {
      return unfit(task, "its command, folder or log is not UTF-8; give it another name");
    }
    lines += line + "\n";
  }
  return lines;
}

Result<Task> read_task(std::string_view lines, std::size_t index) {
  for (std::size_t i = 0; i < index && !lines.empty(); ++i) {
    lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
  }
  if (lines.empty()) {
    return Error{ErrorCode::not_found, fmt::format("no task {}", index)};
  }
  const std::string place = fmt::format("line {}", index + 1);
  TACHO_TRY(json, parse_json(lines.substr(0, lines.find('\n'))).in(place));
  return from_json(json).in(place);
}

Result<std::vector<std::string>> read_keys(std::string_view lines) {
  std::vector<std::string> keys;
  while (!lines.empty()) {
    TACHO_TRY(task, read_task(lines, 0).in(fmt::format("task {}", keys.size())));
    keys.push_back(task.key);
    lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
  }
  return keys;
}

Resources largest_needs(std::span<const Task> tasks) {
  Resources most{.cores = 0};
  for (const Task& task : tasks) {
    most.cores = std::max(most.cores, task.needs.cores);
    most.gpus = std::max(most.gpus, task.needs.gpus);
    if (task.needs.memory_bytes) {
      most.memory_bytes = std::max(most.memory_bytes.value_or(0), *task.needs.memory_bytes);
    }
  }
  return most;
}

std::optional<Seconds> longest_limit(std::span<const Task> tasks) {
  Seconds longest{};
  for (const Task& task : tasks) {
    if (!task.time_limit) return std::nullopt;
    longest = std::max(longest, *task.time_limit);
  }
  return longest;
}

}  // namespace tacho
