#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// A scheduler's client, run to its end or its limit.
inline constexpr std::chrono::seconds kQuestionLimit{15};
// One that changes something: killed half-way nobody knows whether it has.
inline constexpr std::chrono::seconds kChangeLimit{60};

// Its answer, be it good or bad; an error if there was none.
Result<Captured> ask_client(const std::vector<std::string>& argv, std::chrono::milliseconds limit);

// "PROGRAM: the last line it wrote to its standard error".
Error refusal(const std::string& program, const Captured& answer, ErrorCode code);

// This program's own file, for nodes that see the same file system.
Result<std::string> own_program();

}  // namespace tacho
