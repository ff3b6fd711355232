#pragma once

#include "base/names.h"

namespace tacho::bandwidth {

enum class Collective {
  all_reduce,  // every rank gets the sum of all inputs
  broadcast,   // every rank gets rank 0's data
  all_gather,  // every rank gets the data of all ranks, in rank order
};

inline constexpr Names<Collective, 3> kCollectives = {"collective",
                                                      {{{Collective::all_reduce, "all-reduce"},
                                                        {Collective::broadcast, "broadcast"},
                                                        {Collective::all_gather, "all-gather"}}}};

// Returns the bytes that each rank's link carries per byte of the collective's size, as defined by
// nccl-tests, so that bus bandwidth is comparable with the link's rate for any number of ranks. The
// size of an all-gather is the size of its result.
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
