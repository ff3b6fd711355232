#pragma once

#include <filesystem>

#include "serving/dashboard/answer.h"
#include "serving/http/message.h"

namespace tacho::serve {

// Surveys that 'tacho bench memory' and 'tacho bench comms' stored under `home`, served as they
// were written.

// GET /api/v1/lab: the newest surveys, and the files that cannot be read as one.
Answer list_surveys(const http::Request& request, const std::filesystem::path& home);
// GET /api/v1/lab/{survey}
Answer one_survey(const http::Request& request, const std::filesystem::path& home);

}  // namespace tacho::serve
