#include "serving/dashboard/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/json_parser.h"
#include "base/nearest.h"
#include "base/parse_number.h"
#include "serving/http/problem.h"

namespace tacho::serve {
namespace {

Error bad_parameter(std::string_view name, std::string_view value, const std::string& wanted) {
  return {ErrorCode::usage,
          fmt::format("the parameter {} must be {}, not '{}'", name, wanted, value.substr(0, 100))};
}

}  // namespace

http::Handler handler(std::function<Answer(const http::Request&)> make) {
  return [make = std::move(make)](const http::Request& request) {
    Answer answer = make(request);
    return answer.ok() ? *std::move(answer) : http::problem(answer.error());
  };
}

http::Response json_answer(const Json& json, int status) {
  return {.status = status, .content_type = "application/json", .body = json_text(json)};
}

http::Response text_answer(std::string text, std::string_view content_type) {
  return {.content_type = std::string(content_type), .body = std::move(text)};
}

http::Response file_answer(std::string bytes, std::string_view content_type,
                           std::string_view name) {
  http::Response response = text_answer(std::move(bytes), content_type);
  response.headers.emplace_back("Content-Disposition",
                                fmt::format("attachment; filename=\"{}\"", plain_file_name(name)));
  return response;
}

std::string plain_file_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    name += plain ? c : '-';
  }
  return name;
}

Result<Json> body_of(const http::Request& request) {
  TACHO_TRY(json, parse_json(request.body, kRequestJson).in("the request body"));
  if (!json.is_object()) return Error{ErrorCode::invalid, "the request body is not a JSON object"};
  return json;
}

Result<void> check_empty_body(const http::Request& request) {
  TACHO_TRY(json, body_of(request));
  return JsonObject(json, "the request").finish();
}

Result<void> check_not_fresh(const http::Request& request) {
  if (request.parameter("fresh") == nullptr) return {};
  return Error{ErrorCode::usage, "to check again, send a POST with the body {} to this address"};
}

Result<void> check_parameters(const http::Request& request,
                              std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::vector<std::string_view> names(known);
    return Error{ErrorCode::usage, unknown_name("parameter", name, names)};
  }
  return {};
}

Result<std::int64_t> whole_parameter(const http::Request& request, std::string_view name,
                                     std::int64_t otherwise, std::int64_t low, std::int64_t high) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return otherwise;
  const auto number = parse_number<std::int64_t>(*text);
  if (number && *number >= low && *number <= high) return *number;
  return bad_parameter(name, *text, fmt::format("an integer from {} to {}", low, high));
}

Result<std::optional<double>> number_parameter(const http::Request& request,
                                               std::string_view name) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return std::optional<double>();
  const auto number = parse_number<double>(*text);
  if (!number || !std::isfinite(*number)) return bad_parameter(name, *text, "a number");
  return number;
}

Result<std::string> word_parameter(const http::Request& request, std::string_view name,
                                   std::initializer_list<std::string_view> words) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return std::string(*words.begin());
  if (std::ranges::find(words, *text) != words.end()) return *text;
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : " or ") + std::string(word);
  return bad_parameter(name, *text, all);
}

}  // namespace tacho::serve
