#pragma once

#include <filesystem>

#include "base/file.h"
#include "core/store/run_store.h"
#include "serving/dashboard/answer.h"
#include "serving/http/message.h"

namespace tacho::serve {

// GET /api/v1/runs/{run}/files: lists the run's folder.
Answer list_files(const http::Request& request, const StoredRun& run);
// GET …/files/{path...}
Answer run_file(const http::Request& request, const StoredRun& run);
// GET …/log: the output of the run or its worker, from the end or from a given byte.
Answer run_log(const http::Request& request, const StoredRun& run);

// Opens the regular file `path` within `folder`. Never opens anything else, whatever `path`
// contains (.., links, pipes).
Result<UniqueFd> open_run_file(const std::filesystem::path& folder, const std::string& path);

}  // namespace tacho::serve
