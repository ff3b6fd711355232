#include "serving/http/router.h"

#include <algorithm>

#include "base/result.h"
#include "serving/http/url.h"

namespace tacho::http {

void Router::add(Method method, std::string_view pattern, Handler handler) {
  add(Route{method, std::string(pattern), {}, std::move(handler), nullptr});
}

void Router::add(Method method, std::string_view pattern, AsyncHandler handler) {
  add(Route{method, std::string(pattern), {}, nullptr, std::move(handler)});
}

void Router::add(Route route) {
  const auto target = parse_target(route.pattern);
  if (!target.ok()) broken_invariant("a route's pattern: " + target.error().message);
  for (const std::string& segment : target->segments) {
    if (!segment.starts_with('{')) {
      route.parts.push_back({Part::Kind::literal, segment});
    } else if (segment.ends_with("...}")) {
      route.parts.push_back({Part::Kind::rest, segment.substr(1, segment.size() - 5)});
    } else {
      route.parts.push_back({Part::Kind::one, segment.substr(1, segment.size() - 2)});
    }
  }
  const auto place = std::ranges::upper_bound(routes_, route, is_more_specific);
  routes_.insert(place, std::move(route));
}

bool Router::is_more_specific(const Route& a, const Route& b) {
  return std::ranges::lexicographical_compare(a.parts, b.parts, {}, &Part::kind, &Part::kind);
}

bool Router::fits(const Route& route, const std::vector<std::string>& segments) {
  const bool takes_rest = !route.parts.empty() && route.parts.back().kind == Part::Kind::rest;
  if (takes_rest ? segments.size() < route.parts.size() : segments.size() != route.parts.size()) {
    return false;
  }
  for (std::size_t i = 0; i < route.parts.size(); ++i) {
    const Part& part = route.parts[i];
    if (part.kind == Part::Kind::literal ? part.text != segments[i] : segments[i].empty()) {
      return false;
    }
  }
  return true;
}

Router::Match Router::find(Method method, const std::vector<std::string>& segments) const {
  Match match;
  const Route* found = nullptr;
  const Route* instead = nullptr;  // of GET, for HEAD
  for (const Route& route : routes_) {
    if (!fits(route, segments)) continue;
    if (match.pattern.empty()) match.pattern = route.pattern;
    if (route.method == method && found == nullptr) found = &route;
    if (route.method == Method::get && method == Method::head && instead == nullptr) {
      instead = &route;
    }
    if (!match.allowed.empty()) match.allowed += ", ";
    match.allowed += name_of(route.method);
    if (route.method == Method::get) match.allowed += ", HEAD";
  }
  if (found == nullptr) found = instead;
  if (found == nullptr) return match;
  match.pattern = found->pattern;
  if (found->async) {
    match.async = &found->async;
  } else {
    match.handler = &found->handler;
  }
  for (std::size_t i = 0; i < found->parts.size(); ++i) {
    const Part& part = found->parts[i];
    if (part.kind == Part::Kind::literal) continue;
    std::string value = segments[i];
    for (std::size_t j = i + 1; part.kind == Part::Kind::rest && j < segments.size(); ++j) {
      value += "/" + segments[j];
    }
    match.captured.emplace_back(part.text, std::move(value));
  }
  return match;
}

std::vector<Router::Listed> Router::routes() const {
  std::vector<Listed> listed;
  for (const Route& route : routes_) listed.push_back({route.method, route.pattern});
  return listed;
}

}  // namespace tacho::http
