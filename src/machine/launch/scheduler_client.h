#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// Time limit of a scheduler's client that only queries.
inline constexpr std::chrono::seconds kQueryLimit{15};
// Time limit of one that changes something: if it is killed, it is unknown whether it did.
inline constexpr std::chrono::seconds kChangeLimit{60};

// Runs a client and returns its output, successful or not; an error if it could not be run.
Result<Captured> run_client(const std::vector<std::string>& argv, std::chrono::milliseconds limit);

// Returns "PROGRAM: last line of its standard error".
Error refusal(const std::string& program, const Captured& answer, ErrorCode code);

// Returns the path of this program, for nodes with the same file system.
Result<std::string> own_program();

}  // namespace tacho
