#pragma once

#include <string_view>

namespace tacho {

// Prints what a model costs, as one JSON object. `request` is a DescribeRequest in JSON. Exit
// code 2 and one line on standard error where it makes no sense.
int describe_model_for(std::string_view request);

}  // namespace tacho
