#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "serving/http/message.h"

namespace tacho::http {

// Such as "Not Found"; "" for an unknown status.
std::string_view reason_of(int status);

// A problem document (RFC 9457). `detail` may contain any bytes.
Response problem(int status, const std::string& detail);

// Uses the status that matches the error's code.
Response problem(const Error& error);

}  // namespace tacho::http
