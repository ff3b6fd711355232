#pragma once

#include "base/names.h"

namespace tacho {

// How a run ended, or `running` if it has not ended.
enum class Outcome { running, ok, out_of_memory, failed, cancelled, timed_out };

inline constexpr Names<Outcome, 6> kOutcomes{"outcome",
                                             {{{Outcome::running, "running"},
                                               {Outcome::ok, "ok"},
                                               {Outcome::out_of_memory, "out_of_memory"},
                                               {Outcome::failed, "failed"},
                                               {Outcome::cancelled, "cancelled"},
                                               {Outcome::timed_out, "timed_out"}}}};

}  // namespace tacho
