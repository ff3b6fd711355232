#include "serving/dashboard/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "serving/dashboard/answer.h"
#include "serving/http/problem.h"
#include "tracing/report/html_page.h"
#include "tracing/report/html_text.h"

namespace tacho::serve {
namespace {

// Addresses that the dashboard's script shows, by their first segment.
struct View {
  std::string_view name;
  bool has_items;  // "/runs/7" as well as "/runs"
};
constexpr std::array<View, 12> kViews = {{{"runs", true},
                                          {"compare", false},
                                          {"curves", false},
                                          {"comparisons", true},
                                          {"environments", false},
                                          {"sweeps", true},
                                          {"predict", false},
                                          {"recommend", false},
                                          {"ledger", false},
                                          {"memory", false},
                                          {"machine", false},
                                          {"new", false}}};

bool is_view(std::span<const std::string> path) {
  if (!path.empty() && path.back().empty()) path = path.first(path.size() - 1);  // "/runs/"
  if (path.empty()) return true;
  const auto* view = std::ranges::find(kViews, path.front(), &View::name);
  if (view == kViews.end()) return false;
  return path.size() == 1 || (path.size() == 2 && view->has_items);
}

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
  // File names under assets/ contain a hash of the content.
  if (file.path.starts_with("assets/")) {
    response.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  }
  return response;
}

// A page without script: the stylesheet is the only other file that it needs.
http::Response not_found(const http::Request& request) {
  std::string address;
  for (const std::string& segment : request.segments) address += "/" + segment;
  std::string head = "<link rel=\"icon\" href=\"/icon.svg\" type=\"image/svg+xml\">\n";
  for (const PageFile& file : page_files()) {
    if (!file.path.ends_with(".css")) continue;
    head += fmt::format("<link rel=\"stylesheet\" href=\"/{}\">\n", file.path);
  }
  const std::string body = fmt::format(R"(<main class="empty">
<h1>Not found</h1>
<p>There is no page at <code><bdi>{}</bdi></code>.</p>
<p><a href="/">All runs</a></p>
</main>
)",
                                       html_text(address));
  http::Response response =
      text_answer(html_page("Not found – Tacho", head, body), "text/html; charset=utf-8");
  response.status = 404;
  return response;
}

http::Response page(const http::Request& request) {
  const std::string path = request.captured.empty() ? "" : request.part("path");
  if (const PageFile* file = path.empty() ? nullptr : find_file(path)) return sent(*file);
  if (!is_view(request.segments)) {
    // Programs ask for these addresses, people for the others.
    const std::string& first = request.segments.front();
    if (first == "api" || first == "metrics") {
      return http::problem(404, "unknown address; see /api/v1/openapi.json");
    }
    return not_found(request);
  }
  if (const PageFile* index = find_file("index.html")) return sent(*index);
  return http::problem(501,
                       "this tacho was built without the dashboard's pages because npm was "
                       "missing; the API is at /api/v1");
}

}  // namespace

void add_pages(http::Router& router) {
  router.add(http::Method::get, "/", page);
  router.add(http::Method::get, "/{path...}", page);
}

std::vector<http::Field> common_headers() {
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
