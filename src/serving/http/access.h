#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serving/http/message.h"

namespace tacho::http {

// Decides which requests are allowed, before any handler sees them.
//
// A page of another site, open in the same browser, can send requests to this machine. Two checks
// stop it: a DNS name that it points to this machine is not in `hosts`, and requests that change
// something must come from a page of this server.
struct AccessRules {
  // Names that a Host header may have in addition to localhost and IP addresses, which DNS cannot
  // redirect.
  std::vector<std::string> hosts = {};
  // Grants full access; "" allows requests without a token. A browser gets it by opening
  // "/?token=…" once and keeps it in a cookie for this port that scripts cannot read.
  std::string token = {};
  bool read_only = false;
  // Paths that are requested by POST but change nothing: "api/v1/predict".
  std::vector<std::string> read_only_posts = {};
  // Accepts any Host header. For public servers, where a page of another site can do no more than
  // its author.
  bool any_host = false;
  // Content types of bodies in addition to JSON. None may be one that a form can send: text/plain,
  // multipart/form-data, application/x-www-form-urlencoded.
  std::vector<std::string> body_types = {};
  // Accepts bodies without a content type as JSON. Pages of other sites can send such bodies, too,
  // but not without the Origin header by which they are refused.
  bool untyped_json = false;
  // The first segment of paths that pages of other sites may not request at all: "api". A browser
  // does not show them the answers, but computing them has a cost.
  std::string own_pages_only = {};
  // Paths that need no token: "health", for liveness checks.
  std::vector<std::string> open_paths = {};
};

// Returns the answer that refuses the request, or nothing if it is allowed.
std::optional<Response> refusal(const AccessRules& rules, const Request& request);

// True for "localhost:8000", "[::1]" and "10.0.0.7", which DNS cannot redirect.
bool is_own_name(std::string_view host);
// Removes the port.
std::string_view host_name(std::string_view host);

}  // namespace tacho::http
