#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_object.h"
#include "base/result.h"
#include "http/message.h"

namespace tacho::serve {

// What a handler makes of a request. An Error becomes the problem document that fits it.
using Answer = Result<http::Response>;

http::Handler handler(std::function<Answer(const http::Request&)> make);

http::Response json_answer(const Json& json, int status = 200);
http::Response text_answer(std::string text, std::string_view content_type);
// Something to keep: the browser saves it under `name` instead of showing it.
http::Response file_answer(std::string bytes, std::string_view content_type, std::string_view name);
// A file name that is one everywhere, whatever `text` holds.
std::string plain_file_name(std::string_view text);

// The body, which must be a JSON object.
Result<Json> body_of(const http::Request& request);
// The body of a request that needs none: {}.
Result<void> check_empty_body(const http::Request& request);
// Refuses "fresh", by which a GET once made the server look again, with what does so now.
Result<void> check_not_fresh(const http::Request& request);

// Parameters are read strictly: one that is not in `known` is refused with the nearest that is.
Result<void> check_parameters(const http::Request& request,
                              std::initializer_list<std::string_view> known);
// Absent: `otherwise`. What is no whole number between the bounds is an error.
Result<std::int64_t> whole_parameter(const http::Request& request, std::string_view name,
                                     std::int64_t otherwise, std::int64_t low, std::int64_t high);
Result<std::optional<double>> number_parameter(const http::Request& request, std::string_view name);
// One of `words`; the first where it is absent.
Result<std::string> word_parameter(const http::Request& request, std::string_view name,
                                   std::initializer_list<std::string_view> words);

}  // namespace tacho::serve
