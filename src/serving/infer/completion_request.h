#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/sampling.h"

namespace tacho::infer {

// The body of POST /v1/completions, as of OpenAI's API.
struct CompletionRequest {
  std::string model;  // "": the one that is served
  std::vector<std::string> prompts;
  std::int64_t max_tokens = 16;
  Sampling sampling = {.temperature = 1};
  std::int64_t choices = 1;  // per prompt
  std::vector<std::string> stops;
  bool echo = false;  // texts begin with their prompt
  bool stream = false;
  bool include_usage = false;  // at the end of a stream
};

struct CompletionLimits {
  std::size_t choices = 256;       // of all prompts of a request
  std::int64_t max_tokens = 4096;  // of a choice
};

// Fields of OpenAI's that are not supported may have their neutral value, such as 0 for
// "presence_penalty"; other fields are errors. `seed` is used if the request has none.
Result<CompletionRequest> read_completion_request(std::string_view body,
                                                  const CompletionLimits& limits,
                                                  std::int64_t seed);

}  // namespace tacho::infer
