#include "serving/infer/completion_request.h"

#include <fmt/format.h>

#include "base/json_object.h"
#include "base/json_parser.h"

namespace tacho::infer {
namespace {

constexpr std::size_t kMaxEchoBytes = 4 << 20;  // of all texts of a request
constexpr std::size_t kMaxStops = 4;
constexpr std::size_t kMaxStopBytes = 1024;

template <class... Args>
Error bad_request(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorCode::usage, fmt::format(text, std::forward<Args>(args)...)};
}

// A string or a list of them.
Result<std::vector<std::string>> strings(const Json& value, std::string_view name) {
  const auto refused = [&] {
    return bad_request("'{}' must be a string or a list of strings", name);
  };
  if (value.is_string()) return std::vector{value.get<std::string>()};
  if (!value.is_array() || value.empty()) return refused();
  std::vector<std::string> out;
  for (const Json& item : value) {
    if (!item.is_string()) return refused();
    out.push_back(item.get<std::string>());
  }
  return out;
}

Result<void> refuse_unsupported(JsonObject& fields) {
  const std::pair<const char*, Json> neutral[] = {
      {"best_of", 1},        {"frequency_penalty", 0}, {"logit_bias", Json::object()},
      {"logprobs", nullptr}, {"presence_penalty", 0},  {"suffix", ""}};
  for (const auto& [name, value] : neutral) {
    const Json* given = fields.part(name, false);
    if (given != nullptr && *given != value) {
      return bad_request("'{}' is not supported; leave it out", name);
    }
  }
  (void)fields.part("user", false);
  return {};
}

Result<void> check(const CompletionRequest& r, const CompletionLimits& limits) {
  const auto choices = static_cast<std::int64_t>(limits.choices);
  if (r.max_tokens < 1 || r.max_tokens > limits.max_tokens) {
    return bad_request("'max_tokens' must be between 1 and {} (--max-tokens), not {}",
                       limits.max_tokens, r.max_tokens);
  }
  if (!(r.sampling.temperature >= 0 && r.sampling.temperature <= 100)) {
    return bad_request("'temperature' must be between 0 and 100, not {}", r.sampling.temperature);
  }
  if (!(r.sampling.top_p > 0 && r.sampling.top_p <= 1)) {
    return bad_request("'top_p' must be above 0 and at most 1, not {}", r.sampling.top_p);
  }
  if (r.sampling.top_k < 0) return bad_request("'top_k' must be 0 (all tokens) or more");
  if (r.choices < 1 || r.choices > choices / std::ssize(r.prompts)) {
    return bad_request(
        "{} prompts with 'n' {}; a request may have 1 to {} texts in all (--max-inputs)",
        r.prompts.size(), r.choices, limits.choices);
  }
  std::size_t bytes = 0;
  for (const std::string& prompt : r.prompts) bytes += prompt.size();
  if (r.echo && bytes * static_cast<std::size_t>(r.choices) > kMaxEchoBytes) {
    return bad_request("'echo' may repeat at most {} MiB of prompts", kMaxEchoBytes >> 20U);
  }
  if (r.stops.size() > kMaxStops) {
    return bad_request("'stop' may have at most {} strings, not {}", kMaxStops, r.stops.size());
  }
  for (const std::string& stop : r.stops) {
    if (stop.empty() || stop.size() > kMaxStopBytes) {
      return bad_request("the strings of 'stop' must have 1 to {} bytes", kMaxStopBytes);
    }
  }
  return {};
}

}  // namespace

Result<CompletionRequest> read_completion_request(std::string_view body,
                                                  const CompletionLimits& limits,
                                                  std::int64_t seed) {
  const auto parsed = parse_json(body, kRequestJson);
  if (!parsed.ok()) return bad_request("the body: {}", parsed.error().message);
  CompletionRequest request;
  request.sampling.seed = seed;
  JsonObject fields(*parsed, "the body");
  if (const Json* prompt = fields.part("prompt")) {
    TACHO_TRY(prompts, strings(*prompt, "prompt"));
    request.prompts = std::move(prompts);
  }
  if (const Json* stop = fields.part("stop", false); stop != nullptr && *stop != Json::array()) {
    TACHO_TRY(stops, strings(*stop, "stop"));
    request.stops = std::move(stops);
  }
  fields.read_optional("model", request.model);
  fields.read_optional("max_tokens", request.max_tokens);
  fields.read_optional("temperature", request.sampling.temperature);
  fields.read_optional("top_p", request.sampling.top_p);
  fields.read_optional("top_k", request.sampling.top_k);
  fields.read_optional("seed", request.sampling.seed);
  fields.read_optional("n", request.choices);
  fields.read_optional("echo", request.echo);
  fields.read_optional("stream", request.stream);
  if (const Json* options = fields.part("stream_options", false)) {
    JsonObject stream(*options, "'stream_options'");
    stream.read_optional("include_usage", request.include_usage);
    fields.keep(stream.finish());
  }
  TACHO_CHECK(refuse_unsupported(fields));
  TACHO_CHECK(fields.finish());
  TACHO_CHECK(check(request, limits));
  return request;
}

}  // namespace tacho::infer
