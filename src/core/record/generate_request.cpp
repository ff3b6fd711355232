#include "core/record/generate_request.h"

#include <fmt/format.h>

#include "base/json_fields.h"

namespace tacho {

Result<void> check(const GenerateRequest& request) {
  const auto wrong = [](std::string message) {
    return Error{ErrorCode::usage, std::move(message)};
  };
  if (request.max_tokens < 1 || request.max_tokens > 1'000'000) {
    return wrong(
        fmt::format("--max-tokens must be between 1 and 1000000, not {}", request.max_tokens));
  }
  const Sampling& sampling = request.sampling;
  if (!(sampling.temperature >= 0 && sampling.temperature <= 100)) {
    return wrong(
        fmt::format("--temperature must be between 0 and 100, not {}", sampling.temperature));
  }
  if (sampling.top_k < 0) return wrong("--top-k must be 0 (all tokens) or more");
  if (!(sampling.top_p > 0 && sampling.top_p <= 1)) {
    return wrong(fmt::format("--top-p must be above 0 and at most 1, not {}", sampling.top_p));
  }
  return {};
}

void describe(auto&& f, Is<GenerateRequest> auto& r) {
  f("prompt", r.prompt);
  f("max_tokens", r.max_tokens);
  f("temperature", r.sampling.temperature);
  f("top_k", r.sampling.top_k);
  f("top_p", r.sampling.top_p);
  f("seed", r.sampling.seed);
  f("checkpoint", Named{r.checkpoint, kCheckpointKinds});
  f("device", Named{r.device, kDevices});
  f("json", r.json);
}

Json to_json(const GenerateRequest& request) { return json_of(request); }

Result<GenerateRequest> generate_request_from_json(const Json& json) {
  return read_json<GenerateRequest>(json, "generate request");
}

}  // namespace tacho
