#include "serving/http/access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/hmac.h"
#include "serving/http/problem.h"

namespace tacho::http {
namespace {

// A browser sends a cookie to all ports of a machine, so the name contains the port.
std::string cookie_name(const Request& request) {
  const std::string* host = request.header("Host");
  const std::string_view port =
      host == nullptr ? "" : std::string_view(*host).substr(host_name(*host).size());
  return port.empty() ? "tacho_token" : fmt::format("tacho_token_{}", port.substr(1));
}

bool is_decimal_address(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::ranges::count(name, '.') == 3;
}

std::string_view cookie_of(const Request& request) {
  const std::string* header = request.header("Cookie");
  if (header == nullptr) return {};
  const std::string name = cookie_name(request);
  std::string_view rest = *header;
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      return pair.substr(name.size() + 1);
    }
  }
  return {};
}

std::string_view bearer_of(const Request& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string* header = request.header("Authorization");
  if (header == nullptr || !header->starts_with(kScheme)) return {};
  return std::string_view(*header).substr(kScheme.size());
}

std::optional<Response> host_refusal(const AccessRules& rules, const Request& request) {
  const std::string* host = request.header("Host");
  if (host == nullptr) return problem(400, "the request has no Host header");
  if (rules.any_host || is_own_name(*host)) return std::nullopt;
  const std::string_view name = host_name(*host);
  if (std::ranges::find(rules.hosts, name) != rules.hosts.end()) return std::nullopt;
  return problem(421, fmt::format("unknown host name '{}'; if it is correct, start the server "
                                  "with --host-name {}",
                                  name, name));
}

std::optional<Response> origin_refusal(const AccessRules& rules, const Request& request) {
  const std::string* origin = request.header("Origin");
  const std::string* host = request.header("Host");
  const std::string* site = request.header("Sec-Fetch-Site");
  const bool same = origin == nullptr || *origin == "http://" + *host ||
                    *origin == "https://" + *host;  // https: behind a proxy that terminates TLS
  const bool foreign_site = site != nullptr && *site != "same-origin" && *site != "none";
  if (is_safe(request.method)) {
    // No answer here allows other sites to read it, so a browser hides it from their pages.
    const bool costs = !rules.own_pages_only.empty() && !request.segments.empty() &&
                       request.segments.front() == rules.own_pages_only;
    if (!foreign_site || !costs) return std::nullopt;
    return problem(403, "requests from pages of other sites are not allowed");
  }
  if (same && !foreign_site) return std::nullopt;
  return problem(403, "changes from pages of other sites are not allowed");
}

Response without_token(const Request& request) {
  const std::string* accepted = request.header("Accept");
  const bool is_browser = accepted != nullptr && accepted->find("text/html") != std::string::npos;
  Response response = problem(
      401,
      "this server requires a token: open the address that it printed when it started, or send "
      "'Authorization: Bearer TOKEN'");
  if (is_browser) {
    response.content_type = "text/html; charset=utf-8";
    response.body =
        "<!doctype html><html lang=en><meta charset=utf-8><title>Token needed</title><h1>Token "
        "needed</h1><p>Open the address that the server printed when it started: it ends in "
        "<code>/?token=…</code>.";
  }
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

// Redirects from "/?token=…" to "/", so that the token does not stay in the address bar and the
// history.
Response with_cookie(const Request& request, std::string_view token) {
  Response response{.status = 303};
  response.headers.emplace_back("Location", "/");
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000",
                                cookie_name(request), token));
  return response;
}

bool is_one_of(const std::vector<std::string>& paths, const Request& request) {
  if (paths.empty()) return false;
  std::string path;
  for (const std::string& segment : request.segments) path += (path.empty() ? "" : "/") + segment;
  return std::ranges::find(paths, path) != paths.end();
}

bool takes_body(const AccessRules& rules, const std::string* type) {
  if (type == nullptr) return rules.untyped_json;
  return type->starts_with("application/json") ||
         std::ranges::find(rules.body_types, type->substr(0, type->find(';'))) !=
             rules.body_types.end();
}

std::optional<Response> token_refusal(const AccessRules& rules, const Request& request) {
  if (rules.token.empty() || is_one_of(rules.open_paths, request)) return std::nullopt;
  const std::string* shown = request.parameter("token");
  if (shown != nullptr && request.segments.empty() && equal_in_constant_time(*shown, rules.token)) {
    return with_cookie(request, rules.token);
  }
  if (equal_in_constant_time(bearer_of(request), rules.token)) return std::nullopt;
  if (equal_in_constant_time(cookie_of(request), rules.token)) return std::nullopt;
  return without_token(request);
}

}  // namespace

std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_own_name(std::string_view host) {
  const std::string_view name = host_name(host);
  return name == "localhost" || name.starts_with('[') || is_decimal_address(name);
}

std::optional<Response> refusal(const AccessRules& rules, const Request& request) {
  if (auto refused = host_refusal(rules, request)) return refused;
  if (auto refused = token_refusal(rules, request)) return refused;
  if (auto refused = origin_refusal(rules, request)) return refused;
  if (is_safe(request.method)) return std::nullopt;
  if (rules.read_only && !is_one_of(rules.read_only_posts, request)) {
    return problem(403, "this server is read-only; start it without --read-only to allow changes");
  }
  const std::string* type = request.header("Content-Type");
  // A form of another site cannot send this type without a preflight request.
  if (request.sends_body() && !takes_body(rules, type)) {
    return problem(415, fmt::format("the body's Content-Type must be application/json{}{}",
                                    rules.body_types.empty() ? "" : " or ",
                                    fmt::join(rules.body_types, " or ")));
  }
  return std::nullopt;
}

}  // namespace tacho::http
