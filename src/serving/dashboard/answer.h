#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_object.h"
#include "base/result.h"
#include "serving/http/message.h"

namespace tacho::serve {

// A handler's answer. An Error becomes the matching problem document.
using Answer = Result<http::Response>;

http::Handler handler(std::function<Answer(const http::Request&)> make);

http::Response json_answer(const Json& json, int status = 200);
http::Response text_answer(std::string text, std::string_view content_type);
// The browser saves the body under `name` instead of showing it.
http::Response file_answer(std::string bytes, std::string_view content_type, std::string_view name);
// Replaces every character of `text` that is not safe in a file name on all systems.
std::string plain_file_name(std::string_view text);

// Parses the body, which must be a JSON object.
Result<Json> body_of(const http::Request& request);
// Accepts only {}, for requests without arguments.
Result<void> check_empty_body(const http::Request& request);
// Rejects the former parameter "fresh" of a GET and names the POST that replaced it.
Result<void> check_not_fresh(const http::Request& request);

// Rejects a parameter that is not in `known` and suggests the nearest one that is.
Result<void> check_parameters(const http::Request& request,
                              std::initializer_list<std::string_view> known);
// Returns `otherwise` if the parameter is absent. Anything but a whole number between the bounds is
// an error.
Result<std::int64_t> whole_parameter(const http::Request& request, std::string_view name,
                                     std::int64_t otherwise, std::int64_t low, std::int64_t high);
Result<std::optional<double>> number_parameter(const http::Request& request, std::string_view name);
// Accepts one of `words` and returns the first of them if the parameter is absent.
Result<std::string> word_parameter(const http::Request& request, std::string_view name,
                                   std::initializer_list<std::string_view> words);

}  // namespace tacho::serve
