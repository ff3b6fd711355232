#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serving/load/target.h"

namespace tacho::load {

// The body of one request. A GET has none.
struct Input {
  std::string content_type;
  std::string body;
};

// All inputs are kept in memory, so there is a limit of 1 GiB in total.
//
// Reads one text per line and sends each as {"text":["…"]}; skips empty lines.
Result<std::vector<Input>> read_texts(const std::filesystem::path& file);
// Reads every .jpg, .jpeg and .png in or below a folder, unchanged, ordered by name.
Result<std::vector<Input>> read_images(const std::filesystem::path& folder);
// Uses one body for all requests.
Result<std::vector<Input>> read_body(const std::filesystem::path& file,
                                     const std::string& content_type);

// The bytes of a request: a POST of `input`, or a GET without one. `token` becomes an Authorization
// field unless it is "".
std::string request_bytes(const Target& target, const std::string& token, const Input* input);

}  // namespace tacho::load
