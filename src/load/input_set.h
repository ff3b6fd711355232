#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "load/target.h"

namespace tacho::load {

// What one request carries. A GET carries nothing.
struct Input {
  std::string content_type;
  std::string body;
};

// All of them are kept in memory, so there is a limit: 1 GiB in all.
//
// A line of the file each, as {"text":["…"]}; empty lines are left out.
Result<std::vector<Input>> read_texts(const std::filesystem::path& file);
// Every .jpg, .jpeg and .png at or below a folder, as it is, ordered by name.
Result<std::vector<Input>> read_images(const std::filesystem::path& folder);
// One body for all requests.
Result<std::vector<Input>> read_body(const std::filesystem::path& file,
                                     const std::string& content_type);

// The bytes of a request: a POST of `input`, or a GET where there is none. `token` becomes an
// Authorization field; "" leaves it out.
std::string request_bytes(const Target& target, const std::string& token, const Input* input);

}  // namespace tacho::load
