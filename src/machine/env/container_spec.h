#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "machine/env/environment.h"

namespace tacho {

// Marks every process of a container; the value is the run's key.
inline constexpr const char* kMarkVariable = "TACHO_RUN_MARK";

// Returns the folder in which a command starts: its own, or that of this process.
std::filesystem::path working_folder(const Command& command);

// Returns all binds: those of the spec, the folders of the container and the working folder, each
// once, outer before inner. A folder inside another bind is not bound again. An error names a
// missing one.
Result<std::vector<Bind>> all_binds(const EnvironmentSpec& spec, const Command& command,
                                    const ContainerSpec& container);

// Returns the environment variables of a program: those of the command take precedence over the
// spec's; kMarkVariable is added.
std::map<std::string, std::string> all_variables(const EnvironmentSpec& spec,
                                                 const Command& command,
                                                 const ContainerSpec& container);

// Returns true if the value of a variable must not appear in arguments, which all users of the
// machine can read: it is passed through the environment of the engine instead.
bool is_secret(std::string_view variable);

// Checks a key, which is part of names of containers and cgroups: letters, digits, '-', '_' and
// '.'.
Result<void> check_key(const std::string& key);

// Returns one field of a comma-separated list, quoted if needed, for Go's encoding/csv.
std::string csv_field(const std::string& text);

}  // namespace tacho
