#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace tacho::http {

// Which handler answers a request. Patterns are like "/api/v1/runs/{id}/files/{path...}": a {name}
// stands for one segment that is not empty, a {name...} at the end for all that are left, at least
// one. Literal segments win over {names}, so "/runs/last" may stand beside "/runs/{id}".
class Router {
 public:
  void add(Method method, std::string_view pattern, Handler handler);
  void add(Method method, std::string_view pattern, LaterHandler handler);

  struct Match {
    const Handler* handler = nullptr;     // nullptr: none
    const LaterHandler* later = nullptr;  // instead, where it answers later
    std::string_view pattern;             // "" where no path is like that
    std::vector<Field> captured;
    std::string allowed;  // where only the method is wrong: those that would do, "GET, HEAD"
  };
  // A HEAD goes to the handler of GET where it has none of its own.
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
    LaterHandler later;
  };
  void add(Route route);
  static bool fits(const Route& route, const std::vector<std::string>& segments);
  static bool is_plainer(const Route& a, const Route& b);

  std::vector<Route> routes_;  // the plainest first
};

}  // namespace tacho::http
