#include "serve/pages.h"

#include <algorithm>
#include <array>

#include "http/problem.h"
#include "serve/answer.h"

namespace tacho::serve {
namespace {

// Addresses that the page's own script shows, by their first word.
constexpr std::array<std::string_view, 10> kViews = {
    "runs",      "compare", "comparisons", "environments", "sweeps",
    "recommend", "ledger",  "memory",      "machine",      "new"};

std::string_view type_of(std::string_view path) {
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  if (path.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

const PageFile* find_file(std::string_view path) {
  const auto files = page_files();
  const auto at = std::ranges::find(files, path, &PageFile::path);
  return at == files.end() ? nullptr : &*at;
}

http::Response sent(const PageFile& file) {
  http::Response response = text_answer(std::string(file.bytes), type_of(file.path));
  response.gzipped = file.gzipped;
  // Names under assets/ change with their content, so what they name never does.
  if (file.path.starts_with("assets/")) {
    response.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  }
  return response;
}

http::Response page(const http::Request& request) {
  const std::string path = request.captured.empty() ? "" : request.part("path");
  if (const PageFile* file = path.empty() ? nullptr : find_file(path)) return sent(*file);
  const bool is_view =
      path.empty() || std::ranges::find(kViews, request.segments.front()) != kViews.end();
  if (!is_view) return http::problem(404, "there is nothing at this address");
  if (const PageFile* index = find_file("index.html")) return sent(*index);
  return http::problem(501,
                       "this tacho was built without the dashboard's pages, because npm was "
                       "not there; the API is at /api/v1");
}

}  // namespace

void add_pages(http::Router& router) {
  router.add(http::Method::get, "/", page);
  router.add(http::Method::get, "/{path...}", page);
}

std::vector<http::Field> headers_of_all() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"}};
}

}  // namespace tacho::serve
