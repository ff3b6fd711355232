#pragma once

#include <cstddef>
#include <string>

#include "advise/recommend.h"
#include "base/json_object.h"
#include "base/terminal.h"

namespace tacho {

// For people, within 80 columns: the first offers, the first in full with the command that runs
// it, the time-cost front, warnings, what was left out.
std::string recommendation_text(const Recommendation& made, std::size_t offers,
                                const Terminal& terminal);

Json to_json(const Recommendation& made);
std::string recommendation_csv(const Recommendation& made);

}  // namespace tacho
