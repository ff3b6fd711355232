#include "serving/infer/completion_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::infer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr CompletionLimits kLimits = {.choices = 4, .max_tokens = 100};

Result<CompletionRequest> read(std::string_view body) {
  return read_completion_request(body, kLimits, 77);
}
std::string error_message(std::string_view body) {
  const auto request = read(body);
  return request.ok() ? "" : request.error().message;
}

TEST(CompletionRequest, HasOpenAisDefaults) {
  const auto request = read(R"({"prompt": "a"})");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_THAT(request->prompts, ElementsAre("a"));
  EXPECT_EQ(request->max_tokens, 16);
  EXPECT_EQ(request->sampling.temperature, 1);
  EXPECT_EQ(request->sampling.top_p, 1);
  EXPECT_EQ(request->sampling.seed, 77);
  EXPECT_EQ(request->choices, 1);
  EXPECT_FALSE(request->stream);
}

TEST(CompletionRequest, ReadsAllFields) {
  const auto request = read(R"({"model": "m", "prompt": ["a", "b"], "max_tokens": 7,
      "temperature": 0, "top_p": 0.5, "top_k": 3, "seed": 9, "n": 2, "stop": [".", "\n"],
      "echo": true, "stream": true, "stream_options": {"include_usage": true}, "user": "u",
      "logprobs": null, "presence_penalty": 0.0, "best_of": 1, "suffix": null})");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->model, "m");
  EXPECT_THAT(request->prompts, ElementsAre("a", "b"));
  EXPECT_EQ(request->max_tokens, 7);
  EXPECT_EQ(request->sampling.temperature, 0);
  EXPECT_EQ(request->sampling.top_p, 0.5);
  EXPECT_EQ(request->sampling.top_k, 3);
  EXPECT_EQ(request->sampling.seed, 9);
  EXPECT_EQ(request->choices, 2);
  EXPECT_THAT(request->stops, ElementsAre(".", "\n"));
  EXPECT_TRUE(request->echo && request->stream && request->include_usage);
  EXPECT_THAT(read(R"({"prompt": "", "stop": "END"})")->stops, ElementsAre("END"));
}

TEST(CompletionRequest, RefusalsNameTheField) {
  for (const auto& [body, expected] : std::vector<std::pair<std::string, std::string>>{
           {"{", "the body"},
           {"[]", "not a JSON object"},
           {"{}", "'prompt': missing"},
           {R"({"prompt": [1, 2]})", "'prompt' must be a string or a list"},
           {R"({"prompt": []})", "'prompt' must be a string or a list"},
           {R"({"prompt": "a", "max_tokens": "9"})", "'max_tokens': not a whole number"},
           {R"({"prompt": "a", "max_tokens": 0})", "'max_tokens' must be between 1 and 100"},
           {R"({"prompt": "a", "max_tokens": 101})", "--max-tokens"},
           {R"({"prompt": "a", "temperature": -1})", "'temperature'"},
           {R"({"prompt": "a", "top_p": 0})", "'top_p'"},
           {R"({"prompt": "a", "top_k": -1})", "'top_k'"},
           {R"({"prompt": "a", "n": 0})", "'n' 0"},
           {R"({"prompt": "a", "n": 9223372036854775807})", "--max-inputs"},
           {R"({"prompt": ["a", "b", "c"], "n": 2})", "1 to 4 texts"},
           {R"({"prompt": ["a", "b", "c", "d", "e"]})", "1 to 4 texts"},
           {R"({"prompt": "a", "stop": ["1", "2", "3", "4", "5"]})", "at most 4"},
           {R"({"prompt": "a", "stop": ""})", "'stop'"},
           {R"({"prompt": "a", "logprobs": 3})", "'logprobs' is not supported"},
           {R"({"prompt": "a", "best_of": 2})", "'best_of' is not supported"},
           {R"({"prompt": "a", "max_token": 3})", "max_tokens"},
           {R"({"prompt": "a", "stream_options": {"x": 1}})", "include_usage"}}) {
    EXPECT_THAT(error_message(body), HasSubstr(expected)) << body;
  }
  const std::string prompt(2 << 20, 'a');
  EXPECT_THAT(error_message(R"({"n": 3, "echo": true, "prompt": ")" + prompt + "\"}"),
              HasSubstr("'echo' may repeat at most 4 MiB"));
}

}  // namespace
}  // namespace tacho::infer
