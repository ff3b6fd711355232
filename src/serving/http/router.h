#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serving/http/message.h"

namespace tacho::http {

// Finds the handler of a request. Patterns are like "/api/v1/runs/{id}/files/{path...}": {name}
// matches one non-empty segment, {name...} at the end matches all remaining segments, at least one.
// Literal segments take precedence over {names}, so "/runs/last" and "/runs/{id}" can coexist.
class Router {
 public:
  void add(Method method, std::string_view pattern, Handler handler);
  void add(Method method, std::string_view pattern, AsyncHandler handler);

  struct Match {
    const Handler* handler = nullptr;     // nullptr if there is none
    const AsyncHandler* async = nullptr;  // set instead for an asynchronous handler
    std::string_view pattern;             // "" if no pattern matches
    std::vector<Field> captured;
    std::string allowed;  // if only the method is wrong: the methods of the path, "GET, HEAD"
  };
  // A HEAD without a route uses the handler of GET.
  [[nodiscard]] Match find(Method method, const std::vector<std::string>& segments) const;

  struct Listed {
    Method method;
    std::string pattern;
  };
  [[nodiscard]] std::vector<Listed> routes() const;

 private:
  struct Part {
    enum class Kind { literal, one, rest } kind;
    std::string text;
  };
  struct Route {
    Method method;
    std::string pattern;
    std::vector<Part> parts;
    Handler handler;
    AsyncHandler async;
  };
  void add(Route route);
  static bool fits(const Route& route, const std::vector<std::string>& segments);
  static bool is_more_specific(const Route& a, const Route& b);

  std::vector<Route> routes_;  // most specific first
};

}  // namespace tacho::http
