#pragma once

#include <cstdint>
#include <string>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/model_catalog.h"
#include "core/record/precision.h"

namespace tacho {

// The request of 'tacho describe' to its worker.
struct DescribeRequest {
  std::string model;
  std::int64_t batch = 64;
  Precision precision = Precision::fp32;
  SampleShape sample;
  OptimizerSpec optimizer;
};

// Returns a request with the model's default sample and optimizer.
Result<DescribeRequest> describe_request(std::string_view model);

// Parses "3x224x224" into channels, height and width.
Result<void> read_image_shape(std::string_view text, SampleShape& out);

// Returns an error that names the option if a value makes no sense.
Result<void> check(const DescribeRequest& request);

Json to_json(const DescribeRequest& request);
Result<DescribeRequest> describe_request_from_json(const Json& json);

}  // namespace tacho
