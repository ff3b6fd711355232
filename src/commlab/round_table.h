#pragma once

#include <vector>

#include "base/result.h"
#include "comm/rollcall.h"

namespace tacho {

// What every rank has to say in numbers, to all of them, by the control line: an entry for each
// rank. Takes milliseconds; nothing that is timed goes this way. Collective.
Result<std::vector<std::vector<double>>> gather_numbers(Rollcall& rollcall, int rank, int ranks,
                                                        const std::vector<double>& mine);

}  // namespace tacho
