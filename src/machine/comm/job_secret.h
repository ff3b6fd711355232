#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

// The processes of a job authenticate each other by this secret. It is passed by environment or
// file, never as an argument, and appears in no record or log.
inline constexpr const char* kJobSecretVariable = "TACHO_JOB_SECRET";

// Returns 64 random hexadecimal digits.
std::string new_job_secret();

// Strips white space around the secret and validates it. An Error never quotes it.
Result<std::string> parse_job_secret(std::string_view text);

}  // namespace tacho
