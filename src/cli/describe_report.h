#pragma once

#include <string>

#include "base/json_object.h"
#include "base/result.h"
#include "base/terminal.h"

namespace tacho {

// A worker's description of a model for people, within 80 columns. Long models are shown in
// parts, unless every layer is asked for.
Result<std::string> describe_report(const Json& description, bool every_layer,
                                    const Terminal& terminal);

}  // namespace tacho
