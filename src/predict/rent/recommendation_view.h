#pragma once

#include <cstddef>
#include <string>

#include "base/json_object.h"
#include "base/terminal.h"
#include "predict/rent/recommend.h"

namespace tacho {

// Prints at most `offers` offers within 80 columns, the first in detail with its command, then the
// warnings and the excluded plans.
std::string recommendation_text(const Recommendation& made, std::size_t offers,
                                const Terminal& terminal);

Json to_json(const Recommendation& made);
std::string recommendation_csv(const Recommendation& made);

}  // namespace tacho
