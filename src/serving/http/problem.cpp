#include "serving/http/problem.h"

#include "base/json_object.h"

namespace tacho::http {
namespace {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return 400;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::invalid:
    case ErrorCode::newer:
      return 422;
    case ErrorCode::unavailable:
      return 503;
    case ErrorCode::io:
    case ErrorCode::out_of_memory:
    case ErrorCode::failed:
      break;
  }
  return 500;
}

}  // namespace

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

Response problem(int status, const std::string& detail) {
  const Json json = {{"type", "about:blank"},
                     {"title", reason_of(status)},
                     {"status", status},
                     {"detail", detail}};
  return {.status = status,
          .content_type = "application/problem+json",
          .body = json_text(json, 1) + "\n"};
}

Response problem(const Error& error) { return problem(status_of(error.code), error.message); }

}  // namespace tacho::http
