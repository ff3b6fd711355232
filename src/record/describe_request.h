#pragma once

#include <cstdint>
#include <string>

#include "base/json_object.h"
#include "base/result.h"
#include "record/model_catalog.h"
#include "record/precision.h"

namespace tacho {

// What 'tacho describe' asks its worker for.
struct DescribeRequest {
  std::string model;
  std::int64_t batch = 64;
  Precision precision = Precision::fp32;
  SampleShape sample;
  OptimizerSpec optimizer;
};

// A request with the model's own sample and optimizer.
Result<DescribeRequest> describe_request(std::string_view model);

// "3x224x224" into channels, height and width.
Result<void> read_image_shape(std::string_view text, SampleShape& out);

// Says what makes no sense, in the words of the command line.
Result<void> check(const DescribeRequest& request);

Json to_json(const DescribeRequest& request);
Result<DescribeRequest> describe_request_from_json(const Json& json);

}  // namespace tacho
