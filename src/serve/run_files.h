#pragma once

#include <filesystem>

#include "base/file.h"
#include "http/message.h"
#include "serve/answer.h"
#include "store/run_store.h"

namespace tacho::serve {

// GET /api/v1/runs/{run}/files: what lies in its folder.
Answer list_files(const http::Request& request, RunStore& store);
// GET …/files/{path...}: one of them.
Answer run_file(const http::Request& request, RunStore& store);
// GET …/log: what the run or its worker printed, from the end or from a byte on.
Answer run_log(const http::Request& request, RunStore& store);

// The regular file that `path` names within `folder`. Whatever it holds (.., links, pipes), nothing
// else is found.
Result<UniqueFd> open_run_file(const std::filesystem::path& folder, const std::string& path);

}  // namespace tacho::serve
