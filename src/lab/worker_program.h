#pragma once

#include <filesystem>

#include "base/json_object.h"
#include "base/result.h"
#include "record/describe_request.h"

namespace tacho {

// $TACHO_WORKER, else the tacho-worker beside this program.
Result<std::filesystem::path> find_worker();

// What the worker says of torch on this machine ('tacho-worker describe').
Result<Json> describe_worker(const std::filesystem::path& worker);

// What the worker finds a model to cost ('tacho-worker describe-model').
Result<Json> describe_model(const std::filesystem::path& worker, const DescribeRequest& request);

}  // namespace tacho
