#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace tacho::http {

// "Not Found"; "" for a number that is not in use.
std::string_view reason_of(int status);

// RFC 9457: what went wrong, for programs and people. `detail` may hold anything.
Response problem(int status, const std::string& detail);

// With the status that fits the error's code.
Response problem(const Error& error);

}  // namespace tacho::http
