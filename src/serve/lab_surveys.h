#pragma once

#include <filesystem>

#include "http/message.h"
#include "serve/answer.h"

namespace tacho::serve {

// What 'tacho lab memory' and 'tacho lab comms' kept under `home`. The files have every figure and
// what follows from it, so they are handed on as they are.

// GET /api/v1/lab: the newest surveys, and files that are none.
Answer list_surveys(const http::Request& request, const std::filesystem::path& home);
// GET /api/v1/lab/{survey}: by its key.
Answer one_survey(const http::Request& request, const std::filesystem::path& home);

}  // namespace tacho::serve
