// Request targets: paths, queries and percent encoding.
#include <cstdlib>
#include <string>

#include "fuzz_loop.h"
#include "serving/http/access.h"
#include "serving/http/url.h"

namespace tacho {
namespace {

// An accepted target is written and read again.
bool same_again(const http::Target& target) {
  std::string text;
  for (const std::string& segment : target.segments) text += "/" + http::percent_encoded(segment);
  if (text.empty()) text = "/";
  char separator = '?';
  for (const auto& [name, value] : target.query) {
    text += separator + http::percent_encoded(name) + "=" + http::percent_encoded(value);
    separator = '&';
  }
  const auto again = http::parse_target(text);
  return again.ok() && again->segments == target.segments && again->query == target.query;
}

bool read_all(const std::string& text) {
  (void)http::is_own_name(text);
  (void)http::host_name(text);
  const auto plain = http::percent_decoded(http::percent_encoded(text), true);
  const bool has_zero = text.find('\0') != std::string::npos;
  if (plain.ok() == has_zero || (plain.ok() && *plain != text)) std::abort();
  const auto target = http::parse_target(text);
  if (target.ok() && !same_again(*target)) std::abort();
  return target.ok();
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  std::string deep;
  std::string many = "/?";
  for (int i = 0; i < 2000; ++i) {
    deep += "/a%2Fb";
    many += "&a=" + std::to_string(i);
  }
  return tacho::fuzz(
      argc, argv,
      {"/api/v1/runs?sort=top1&where=a%3Eb&word=x+y#end", "/runs/7/files/a%2Fb/../c//",
       "/?token=%41%e2%82%ac", "[::1]:8000", "127.0.0.1:80", deep, many},
      tacho::read_all, [](std::string&) {});
}
