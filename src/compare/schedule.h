#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/names.h"
#include "base/units.h"
#include "compare/ratio.h"

namespace tacho {

// Which variants run next, and when there are enough runs. Blocks come one after the other; each
// holds every variant once, in an order of its own. Block 0 warms up and does not count.
// Without a clock: the caller says how long things took.
//
// Whether to go on depends on how narrow the intervals are and never on where they lie: stopping as
// soon as a difference shows finds differences where there are none. Even widths are looked at
// seldom, after min_repeats blocks and whenever there are a fifth more: who looks each time stops
// where runs happened to agree, and the interval is too narrow by that.

inline constexpr std::int64_t kWarmUpBlock = 0;

// The same seed and block give the same order.
std::vector<std::size_t> block_order(std::size_t variants, std::int64_t block, std::uint64_t seed);

struct StopRule {
  double resolution = 0.01;         // the width an interval must come down to
  std::optional<Seconds> max_time;  // for everything, the warm-up included
  std::int64_t min_repeats = 10;    // counted runs of each variant
  std::int64_t max_repeats = 100;
};
// usage errors, in terms of --resolution, --max-time and --repeat.
Result<void> check(const StopRule& rule);

// user: Ctrl-C. failures: fewer than two variants could be run. busy: too many blocks were
// disturbed.
enum class StopReason { none, resolution, time, repeats, user, failures, busy };
inline constexpr Names<StopReason, 7> kStopReasons{"reason to stop",
                                                   {{{StopReason::none, "none"},
                                                     {StopReason::resolution, "resolution"},
                                                     {StopReason::time, "time"},
                                                     {StopReason::repeats, "repeats"},
                                                     {StopReason::user, "user"},
                                                     {StopReason::failures, "failures"},
                                                     {StopReason::busy, "busy"}}}};

// What has been done so far, after a whole block.
struct BlocksDone {
  std::int64_t blocks = 0;  // counted ones
  Seconds elapsed{0};
  Seconds block_time{0};                     // what a block takes, a typical one
  std::vector<std::optional<Ratio>> ratios;  // those that must become narrow
  std::int64_t disturbed = 0;                // blocks that do not count
};

// After a block: stop, and why? A block that would not end before max_time is not begun, once
// there are two counted ones.
// Every block may be the last by time or number, only one that is_look() by its width.
StopReason reason_to_stop(const StopRule& rule, const BlocksDone& done);

bool is_look(const StopRule& rule, std::int64_t blocks);

// Counted blocks still to come, as far as the intervals' widths tell; 0 where none are.
std::int64_t blocks_left(const StopRule& rule, const BlocksDone& done);
// For a progress line; the time that max_time leaves at the most.
Seconds time_left(const StopRule& rule, const BlocksDone& done);

// What a run differs from the next of its variant, as a share of its value: the standard deviation
// that normal noise of the same kind would have. From differences of neighbouring blocks, so that
// slow drift stays out. Nothing where fewer than three values are known, or one is not above zero.
std::optional<double> noise_of(std::span<const Sample> variants);
// How much the machine changes over the whole time: the standard deviation of all values around
// their variant's median, on the same footing. Without drift it is about noise_of.
std::optional<double> spread_of(std::span<const Sample> variants);

}  // namespace tacho
