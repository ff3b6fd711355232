#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "serving/http/message.h"
#include "serving/infer/generator.h"

namespace tacho::infer {

// What all parts of the answer to one request have in common.
struct CompletionFacts {
  std::string id;
  std::string model;
  std::int64_t created = 0;  // seconds since 1970
  std::int64_t prompt_tokens = 0;
};

Json completion_choice(std::size_t index, const std::string& text,
                       std::optional<FinishReason> finish);
Json completion_usage(const CompletionFacts& facts, std::int64_t completion_tokens);
// The whole answer, or a chunk of a stream.
Json completion_json(const CompletionFacts& facts, const std::vector<Json>& choices);

// A problem document that is also an error of OpenAI's API.
http::Response completion_problem(int status, const std::string& detail);
http::Response completion_problem(const Error& error);
Json completion_error(int status, const std::string& detail);

// One server-sent event.
std::string event_text(const std::string& data);

}  // namespace tacho::infer
