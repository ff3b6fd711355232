#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace tacho::http {

// Who may ask for what, before any handler sees it.
//
// A page of somebody else's, open in the same browser, can send requests to this machine. Two
// checks keep it out: a name that it had its DNS point here is not one of `hosts`, and what changes
// something must come from a page of this server's own.
struct AccessRules {
  // Names that a Host header may have besides those of this machine itself (localhost and
  // addresses, which no DNS can point elsewhere).
  std::vector<std::string> hosts = {};
  // Who has it may do everything; "" where nobody needs one. A browser gets it by opening
  // "/?token=…" once, and keeps it in a cookie of this port that scripts cannot read.
  std::string token = {};
  bool read_only = false;
  // Paths that are asked with a body, by POST, and change nothing: "api/v1/predict".
  std::vector<std::string> questions = {};
  // Whatever name it is asked by: for servers that anyone may ask, where a page of somebody else's
  // can do no more than its author.
  bool any_host = false;
  // Types of bodies besides JSON. None may be what a form can send: text/plain,
  // multipart/form-data, application/x-www-form-urlencoded.
  std::vector<std::string> body_types = {};
  // The first part of paths that no page of another site may even ask for: "api". Its browser
  // keeps the answers from it, but not what making them costs.
  std::string own_pages_only = {};
  // Paths that need no token: "health", for who only looks whether the server lives.
  std::vector<std::string> open_paths = {};
};

// The answer that refuses the request, or nothing.
std::optional<Response> refusal(const AccessRules& rules, const Request& request);

// "localhost:8000", "[::1]", "10.0.0.7": names that DNS cannot point elsewhere.
bool is_own_name(std::string_view host);
// Without its port.
std::string_view host_name(std::string_view host);

}  // namespace tacho::http
