#pragma once

#include <span>
#include <string_view>

#include "serving/http/router.h"

namespace tacho::serve {

// A file of the dashboard, compiled into the executable.
struct PageFile {
  std::string_view path;  // "assets/app-4F2K.js"
  std::string_view bytes;
  std::string_view gzipped;
};
// Empty in a build without pages.
std::span<const PageFile> page_files();
// The API description, OpenAPI 3.
std::string_view openapi_text();

void add_pages(http::Router& router);

// Headers of every answer: scripts from this server only, no frames, no content sniffing.
std::vector<http::Field> common_headers();

}  // namespace tacho::serve
