#pragma once

#include <chrono>
#include <vector>

#include "serving/http/access.h"
#include "serving/http/message.h"
#include "serving/http/metrics.h"
#include "serving/http/router.h"

namespace tacho::http {

// Answers requests: checks access, finds the route, calls the handler, and adds entity tag,
// compression and common headers. A handler that throws is a 500. Thread-safe.
class Site {
 public:
  Site(Router router, AccessRules access, std::vector<Field> common_headers = {})
      : router_(std::move(router)),
        access_(std::move(access)),
        common_headers_(std::move(common_headers)) {}

  // Returns the answer if access or route refuse the request, whatever its body is, or nothing.
  std::optional<Response> refused(const Request& request);
  // For synchronous routes.
  Response answer(Request request);
  // For asynchronous routes, whose answers are sent without tag and compression.
  void answer(Request request, const Reply& reply);
  [[nodiscard]] const RequestMetrics& metrics() const { return metrics_; }
  [[nodiscard]] const Router& router() const { return router_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct RequestInfo {
    Clock::time_point begin;
    Method method;
    std::string_view route = "none";
  };
  std::optional<Response> refused(const Request& request, Router::Match& match,
                                  std::string_view& route) const;
  static Response called(const http::Handler& handler, const Request& request);
  void finish(const RequestInfo& info, Response& response);

  Router router_;
  AccessRules access_;
  std::vector<Field> common_headers_;
  RequestMetrics metrics_;
};

// Adds an entity tag, compresses large text, and omits the body if the client has it.
void finish(const Request& request, Response& response);

}  // namespace tacho::http
