#pragma once

#include <filesystem>

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

// The regular file that `path` names within `folder`. Whatever it holds (.., links that lead
// elsewhere), what is outside of the folder is not found.
Result<std::filesystem::path> file_within(const std::filesystem::path& folder,
                                          const std::string& path);

}  // namespace tacho::serve
