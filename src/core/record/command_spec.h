#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// A program that Tacho watches (tacho run), as opposed to a training by Tacho's own worker.
struct CommandSpec {
  std::vector<std::string> argv;
  std::string folder;  // working directory
  // Samples per step, if the user gave them: needed for the speed of steps found in a GPU trace.
  std::optional<std::int64_t> batch;
  std::string tensorboard;  // folder of its event files; "" searches below `folder`
  bool trace = true;        // record its GPU activity
  bool operator==(const CommandSpec&) const = default;
};

Result<void> check(const CommandSpec& spec);

Json to_json(const CommandSpec& spec);
Result<CommandSpec> command_spec_from_json(const Json& json);

// Returns the command with shell quoting and without secrets: "python3 train.py --name 'two
// words'".
std::string command_line(const CommandSpec& spec);
// Returns the command as one printable line of at most `longest` columns: a program given with -c
// may have many lines.
std::string headline(const CommandSpec& spec, std::size_t longest = 60);
// Returns the name for lists: the program, or the script if it is run by an interpreter:
// "train.py".
std::string short_name(const CommandSpec& spec);

}  // namespace tacho
