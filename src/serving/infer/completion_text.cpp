#include "serving/infer/completion_text.h"

#include "serving/http/problem.h"

namespace tacho::infer {

Json completion_choice(std::size_t index, const std::string& text,
                       std::optional<FinishReason> finish) {
  Json choice = {{"text", text}, {"index", index}, {"logprobs", nullptr}};
  choice["finish_reason"] = nullptr;
  if (finish) choice["finish_reason"] = *finish == FinishReason::stop ? "stop" : "length";
  return choice;
}

Json completion_usage(const CompletionFacts& facts, std::int64_t completion_tokens) {
  return {{"prompt_tokens", facts.prompt_tokens},
          {"completion_tokens", completion_tokens},
          {"total_tokens", facts.prompt_tokens + completion_tokens}};
}

Json completion_json(const CompletionFacts& facts, const std::vector<Json>& choices) {
  return {{"id", facts.id},
          {"object", "text_completion"},
          {"created", facts.created},
          {"model", facts.model},
          {"choices", choices}};
}

Json completion_error(int status, const std::string& detail) {
  return {{"message", detail},
          {"type", status < 500 ? "invalid_request_error" : "server_error"},
          {"param", nullptr},
          {"code", nullptr}};
}

http::Response completion_problem(int status, const std::string& detail) {
  http::Response response = http::problem(status, detail);
  const auto document = parse_json(response.body);
  if (!document.ok()) broken_invariant("a problem document that is not valid JSON");
  Json both = *document;
  both["error"] = completion_error(status, detail);
  response.body = json_text(both, 1) + "\n";
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

http::Response completion_problem(const Error& error) {
  return completion_problem(http::problem(error).status, error.message);
}

std::string event_text(const std::string& data) { return "data: " + data + "\n\n"; }

}  // namespace tacho::infer
