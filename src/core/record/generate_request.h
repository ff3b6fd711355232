#pragma once

#include <cstdint>
#include <string>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/run_spec.h"
#include "core/record/sampling.h"

namespace tacho {

// The request of 'tacho generate' to its worker.
struct GenerateRequest {
  std::string prompt;
  std::int64_t max_tokens = 200;
  Sampling sampling;
  CheckpointKind checkpoint = CheckpointKind::last;
  Device device = Device::cpu;
  bool json = false;
};

// Returns an error that names the option if a value makes no sense.
Result<void> check(const GenerateRequest& request);

Json to_json(const GenerateRequest& request);
Result<GenerateRequest> generate_request_from_json(const Json& json);

}  // namespace tacho
