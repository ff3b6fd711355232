#include "serving/http/site.h"

#include <chrono>
#include <exception>

#include "serving/http/compression.h"
#include "serving/http/problem.h"

namespace tacho::http {
namespace {

constexpr std::size_t kWorthCompressing = 1024;

bool names_tag(const std::string* if_none_match, std::string_view tag) {
  return if_none_match != nullptr &&
         (*if_none_match == "*" || if_none_match->find(tag) != std::string::npos);
}

// A weak tag: equal for compressed and uncompressed content.
void tag(const Request& request, Response& response) {
  const std::string etag = "W/\"" + content_hash(response.body) + "\"";
  response.headers.emplace_back("ETag", etag);
  if (find_field(response.headers, "Cache-Control") == nullptr) {
    response.headers.emplace_back("Cache-Control", "no-cache");  // cache, but revalidate
  }
  if (!names_tag(request.header("If-None-Match"), etag)) return;
  response.status = 304;
  response.body.clear();
  response.content_type.clear();
}

void compress(const Request& request, Response& response) {
  if (!is_compressible(response.content_type) || response.body.size() < kWorthCompressing) return;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  const std::string* accepted = request.header("Accept-Encoding");
  if (accepted == nullptr || !accepts_gzip(*accepted)) return;
  constexpr int kQuick = 1;
  response.body =
      response.gzipped.empty() ? gzip(response.body, kQuick) : std::string(response.gzipped);
  response.headers.emplace_back("Content-Encoding", "gzip");
}

}  // namespace

void finish(const Request& request, Response& response) {
  if (response.source) {
    response.headers.emplace_back("Cache-Control", "no-store");
    return;
  }
  if (response.status == 200 && is_safe(request.method)) tag(request, response);
  compress(request, response);
}

std::optional<Response> Site::refused(const Request& request, Router::Match& match,
                                      std::string_view& route) const {
  if (auto denied = refusal(access_, request)) return denied;
  match = router_.find(request.method, request.segments);
  if (match.pattern.empty()) return problem(404, "there is nothing at this address");
  route = match.pattern;
  if (match.handler != nullptr || match.async != nullptr) return std::nullopt;
  Response response = problem(405, "this address only accepts " + match.allowed);
  response.headers.emplace_back("Allow", match.allowed);
  return response;
}

std::optional<Response> Site::refused(const Request& request) {
  RequestInfo info{Clock::now(), request.method};
  Router::Match match;
  auto response = refused(request, match, info.route);
  if (response) {
    http::finish(request, *response);
    finish(info, *response);
  }
  return response;
}

Response Site::called(const http::Handler& handler, const Request& request) {
  try {
    return handler(request);
  } catch (const std::exception& failure) {
    return problem(500, std::string("the request could not be answered: ") + failure.what());
  }
}

void Site::finish(const RequestInfo& info, Response& response) {
  for (const Field& field : common_headers_) response.headers.push_back(field);
  const std::chrono::duration<double> time = Clock::now() - info.begin;
  metrics_.add(name_of(info.method), info.route, response.status, time.count());
}

Response Site::answer(Request request) {
  Response answered;
  answer(std::move(request), Reply([&](Response response) { answered = std::move(response); }));
  return answered;
}

void Site::answer(Request request, const Reply& reply) {
  RequestInfo info{Clock::now(), request.method};
  const auto send = [&](Response response) {
    http::finish(request, response);
    finish(info, response);
    reply(std::move(response));
  };
  Router::Match match;
  if (auto response = refused(request, match, info.route)) return send(*std::move(response));
  request.captured = std::move(match.captured);
  if (match.async == nullptr) return send(called(*match.handler, request));
  (*match.async)(std::move(request), Reply([this, info, reply](Response response) {
                   finish(info, response);
                   reply(std::move(response));
                 }));
}

}  // namespace tacho::http
