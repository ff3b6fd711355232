#pragma once

#include "base/names.h"

namespace tacho::bandwidth {

// What the ranks of a job do together.
enum class Collective {
  all_reduce,  // everyone gets the sum of what all have
  broadcast,   // everyone gets what rank 0 has
  all_gather,  // everyone gets what each has, one after the other
};

inline constexpr Names<Collective, 3> kCollectives = {"collective",
                                                      {{{Collective::all_reduce, "all-reduce"},
                                                        {Collective::broadcast, "broadcast"},
                                                        {Collective::all_gather, "all-gather"}}}};

// Bytes that each rank's line must carry for one byte of the collective's size, as nccl-tests
// defines it. A bus bandwidth can so be held against a line's rate, whatever the number of ranks.
// The size of an all-gather is that of what everyone has in the end.
constexpr double bus_factor(Collective collective, int ranks) {
  const double others = ranks - 1;
  switch (collective) {
    case Collective::all_reduce:
      return 2 * others / ranks;
    case Collective::all_gather:
      return others / ranks;
    case Collective::broadcast:
      return ranks > 1 ? 1 : 0;
  }
  return 0;
}

}  // namespace tacho::bandwidth
