// HTTP requests to a server on this machine: headers, lengths, chunks, JSON. Each input is a
// connection with one or more requests. Afterwards the server must keep nothing of it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/json_object.h"
#include "fuzz_loop.h"
#include "serving/http/problem.h"
#include "serving/http/raw_client.h"
#include "serving/http/server.h"
#include "serving/http/site.h"

namespace tacho {
namespace {

http::Response echoed(const http::Request& request) {
  if (request.method == http::Method::get) return {.content_type = "text/plain", .body = "here"};
  const auto json = parse_json(request.body);
  if (!json.ok()) return http::problem(json.error());
  return {.content_type = "application/json", .body = json_text(*json)};
}

// The samples are much smaller than these limits, and damage may double their size.
http::Limits limits() {
  http::Limits limits;
  limits.request = std::chrono::milliseconds(50);
  limits.idle = std::chrono::milliseconds(50);
  return limits;
}

class Target {
 public:
  Target() : site_(routes(), {.own_pages_only = "api"}) {
    http::ServerOptions options{.port = 0, .workers = 2, .limits = limits()};
    options.screen = [this](const http::Request& request) { return site_.refused(request); };
    server_ = *http::Server::start(
        options, [this](const http::Request& request) { return site_.answer(request); });
  }

  bool read(const std::string& bytes) {
    http::RawClient client(server_->port());
    client.send(bytes);
    client.finish_sending();
    const std::string answer = client.rest();
    client.close();
    if (!answer.empty() && !answer.starts_with("HTTP/1.")) fail("an invalid answer");
    if (server_->counts().body_bytes > 8 << 20) fail("bodies without a request");
    return answer.find(" 200 OK\r\n") != std::string::npos;
  }

 private:
  static http::Router routes() {
    http::Router router;
    router.add(http::Method::post, "/api/{path...}", echoed);
    router.add(http::Method::get, "/{path...}", echoed);
    return router;
  }
  static void fail(const char* what) {
    std::fprintf(stderr, "fuzz_http: %s\n", what);
    std::abort();
  }

  http::Site site_;
  std::unique_ptr<http::Server> server_;
};

std::string posted(const std::string& body, const std::string& more = "") {
  return "POST /api/v1/jobs?a=%41 HTTP/1.1\r\nHost: localhost:8000\r\n" + more +
         "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string in_chunks(const std::string& body) {
  std::string text =
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  for (const char c : body) text += std::string("1;x=y\r\n") + c + "\r\n";
  return text + "0\r\nX-Trailer: 1\r\n\r\n";
}

std::string many_headers() {
  std::string text = "GET /a HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 300; ++i) text += "X-" + std::to_string(i) + ": a, b\r\n";
  return text + "\r\n";
}

std::string many_members() {
  std::string text = "{";
  for (int i = 0; i < 500; ++i) text += "\"k" + std::to_string(i) + "\":[1,\"\\u20ac\",null],";
  return text + "\"end\":1e308}";
}

// Sets a Content-Length that matches the body, so that the body is parsed.
void set_length(std::string& bytes) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t end = bytes.find("\r\n\r\n");
  const std::size_t at = bytes.find(kName);
  if (end == std::string::npos || at == std::string::npos || at > end) return;
  const std::size_t digits = at + kName.size();
  bytes.replace(digits, bytes.find("\r\n", digits) - digits,
                std::to_string(bytes.size() - end - 4));
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  tacho::Target target;
  const std::string deep = std::string(60, '[') + std::string(60, ']');
  const std::string too_deep = std::string(2000, '[') + std::string(2000, ']');
  const std::string get =
      "GET /a?b HTTP/1.1\r\nHost: [::1]\r\nAccept-Encoding: gzip\r\nIf-None-Match: \"x\"\r\n"
      "Cookie: a=b; tacho_token=c\r\nSec-Fetch-Site: same-origin\r\n\r\n";
  return tacho::fuzz(
      argc, argv,
      {get, get + get + get, tacho::posted("{\"model\": \"mlp\", \"batch\": [1, 2.5, true]}"),
       tacho::posted("{}", "Expect: 100-continue\r\n"), tacho::posted(deep),
       tacho::posted(too_deep), tacho::posted(tacho::many_members()),
       tacho::in_chunks("{\"a\": [[[]]]}"), tacho::many_headers(),
       tacho::posted(std::string(200'000, ' ') + "1"),
       "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}"},
      [&](const std::string& bytes) { return target.read(bytes); }, tacho::set_length);
}
