#pragma once

#include <string>

#include "base/json_object.h"
#include "base/result.h"
#include "base/terminal.h"

namespace tacho {

// Prints a worker's description of a model within 80 columns. Layers of long models are grouped
// unless `every_layer` is set.
Result<std::string> describe_report(const Json& description, bool every_layer,
                                    const Terminal& terminal);

}  // namespace tacho
