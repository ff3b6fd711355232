#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// A program that is watched as it is, instead of a training that Tacho makes itself.
struct CommandSpec {
  std::vector<std::string> argv;
  std::string folder;  // where it is started
  // Samples a step, where the user says: a step found in the GPU's work then has a speed.
  std::optional<std::int64_t> batch;
  std::string tensorboard;  // where it writes event files; "" looks below `folder`
  bool trace = true;        // of what it does on GPUs
  bool operator==(const CommandSpec&) const = default;
};

Result<void> check(const CommandSpec& spec);

Json to_json(const CommandSpec& spec);
Result<CommandSpec> command_spec_from_json(const Json& json);

// As a shell would take it: "python3 train.py --name 'two words'".
std::string command_line(const CommandSpec& spec);
// The same in one printable line of no more than `longest` columns: a program given with -c may
// have many lines.
std::string headline(const CommandSpec& spec, std::size_t longest = 60);
// What a list shows: the program, or the script where it is an interpreter's: "train.py".
std::string short_name(const CommandSpec& spec);

}  // namespace tacho
