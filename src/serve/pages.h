#pragma once

#include <span>
#include <string_view>

#include "http/router.h"

namespace tacho::serve {

// A file of the dashboard, compiled into the program.
struct PageFile {
  std::string_view path;  // "assets/app-4F2K.js"
  std::string_view bytes;
  std::string_view gzipped;
};
// Empty in a program that was built without them.
std::span<const PageFile> page_files();
// The description of the API that the server serves, OpenAPI 3.
std::string_view openapi_text();

void add_pages(http::Router& router);

// Of every answer: no script but the server's own files, no frame, no guess of types.
std::vector<http::Field> headers_of_all();

}  // namespace tacho::serve
