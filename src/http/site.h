#pragma once

#include <chrono>
#include <vector>

#include "http/access.h"
#include "http/message.h"
#include "http/metrics.h"
#include "http/router.h"

namespace tacho::http {

// From a request to its answer: access, route, handler, and what every answer gets: entity tag,
// compression, headers. A handler that throws is a 500. Any number of threads may ask.
class Site {
 public:
  Site(Router router, AccessRules access, std::vector<Field> headers_of_all = {})
      : router_(std::move(router)),
        access_(std::move(access)),
        headers_of_all_(std::move(headers_of_all)) {}

  // The answer to what access or route refuse, whatever the body is, or nothing.
  std::optional<Response> refused(const Request& request);
  // For routes that answer at once.
  Response answer(Request request);
  // For routes that answer later; what they answer is sent as it is, neither tagged nor compressed.
  void answer(Request request, const Reply& reply);
  [[nodiscard]] const RequestMetrics& metrics() const { return metrics_; }
  [[nodiscard]] const Router& router() const { return router_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    Clock::time_point begin;
    Method method;
    std::string_view route = "none";
  };
  std::optional<Response> refused(const Request& request, Router::Match& match,
                                  std::string_view& route) const;
  static Response called(const http::Handler& handler, const Request& request);
  void finish(const Asked& asked, Response& response);

  Router router_;
  AccessRules access_;
  std::vector<Field> headers_of_all_;
  RequestMetrics metrics_;
};

// Tags an answer, compresses it where that pays, and leaves it out where the client has it.
void finish(const Request& request, Response& response);

}  // namespace tacho::http
