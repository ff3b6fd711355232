#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/names.h"
#include "base/units.h"
#include "experiments/compare/ratio.h"

namespace tacho {

// Decides which variants run next and when there are enough runs. Each block contains every variant
// once, in a random order. Block 0 is the warm-up and is not counted. There is no clock here: the
// caller passes durations.
//
// The decision to continue depends on the width of the intervals only, never on their position:
// stopping as soon as a difference appears would find differences that do not exist. Even widths
// are checked rarely, after min_repeats blocks and then after every 20 % more blocks: checking
// after each block stops when runs agree by accident, with intervals that are too narrow.

inline constexpr std::int64_t kWarmUpBlock = 0;

// Deterministic for a seed and block.
std::vector<std::size_t> block_order(std::size_t variants, std::int64_t block, std::uint64_t seed);

struct StopRule {
  double resolution = 0.01;         // stop when all intervals are at most this wide
  std::optional<Seconds> max_time;  // of the comparison, with the warm-up
  std::int64_t min_repeats = 10;    // counted runs per variant
  std::int64_t max_repeats = 100;
};
// Returns usage errors that name --resolution, --max-time and --repeat.
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

// The state after a complete block.
struct BlocksDone {
  std::int64_t blocks = 0;  // counted blocks
  Seconds elapsed{0};
  Seconds block_time{0};                     // duration of a typical block
  std::vector<std::optional<Ratio>> ratios;  // those that must become narrow
  std::int64_t disturbed = 0;                // blocks that are not counted
};

// Called after each block. With at least two counted blocks, a block that would end after max_time
// is not started. The time and the number of blocks are checked after every block, widths only if
// is_look().
StopReason reason_to_stop(const StopRule& rule, const BlocksDone& done);

bool is_look(const StopRule& rule, std::int64_t blocks);

// Estimates the number of counted blocks to come from the widths of the intervals.
std::int64_t blocks_left(const StopRule& rule, const BlocksDone& done);
// For a progress line; at most the time that max_time leaves.
Seconds time_left(const StopRule& rule, const BlocksDone& done);

// Returns the noise of a run relative to its value: the standard deviation of normal noise with the
// same median difference between neighbouring blocks, which excludes slow drift. Nothing with fewer
// than three values, or if one is not positive.
std::optional<double> noise_of(std::span<const Sample> variants);
// Returns the variation over the whole comparison: the standard deviation of all values around
// their variant's median, computed like noise_of(). Without drift both are about the same.
std::optional<double> spread_of(std::span<const Sample> variants);

}  // namespace tacho
