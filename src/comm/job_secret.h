#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

// What the processes of a job know and nobody else: by it they recognise each other where they
// meet. It travels by environment or file; it is in no argument, record or log.
inline constexpr const char* kJobSecretVariable = "TACHO_JOB_SECRET";

// 64 hexadecimal digits from the system's source of random bytes.
std::string new_job_secret();

// A secret that was given, without the blanks and line ends around it. An Error never quotes it.
Result<std::string> parse_job_secret(std::string_view text);

}  // namespace tacho
