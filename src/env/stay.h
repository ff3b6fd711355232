#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/environment.h"

namespace tacho {

// Marks every process of a stay, and its container; its value is the run's key.
inline constexpr const char* kStayVariable = "TACHO_STAY";

// The folder a command starts in: its own, or this process's.
std::filesystem::path working_folder(const Command& command);

// What is seen inside: the spec's binds, the folders of the stay and the working folder, each once,
// outer before inner. What is seen already, as part of another, is not bound again. An error names
// one that is not there.
Result<std::vector<Bind>> all_binds(const EnvironmentSpec& spec, const Command& command,
                                    const Stay& stay);

// The variables a program is given: the command's before the spec's, and what marks it.
std::map<std::string, std::string> all_variables(const EnvironmentSpec& spec,
                                                 const Command& command, const Stay& stay);

// Whether a variable's value must stand in no engine's arguments, which every user of the machine
// can read: it is handed on by the engine's own environment.
bool is_secret(std::string_view variable);

// A key is part of names of containers and cgroups: letters, digits, '-', '_' and '.'.
Result<void> check_key(const std::string& key);

// One field of a comma-separated list, quoted where it must be, as Go's encoding/csv reads it.
std::string csv_field(const std::string& text);

}  // namespace tacho
