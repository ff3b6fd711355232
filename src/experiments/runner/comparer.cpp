#include "experiments/runner/comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/record/statistics.h"
#include "experiments/runner/compared_values.h"

namespace tacho {
namespace {

constexpr int kMostFailuresInARow = 2;

class Comparer {
 public:
  Comparer(const ComparePlan& plan, const CompareHooks& hooks, CompareView& view,
           Comparison& comparison)
      : plan_(plan), hooks_(hooks), view_(view), comparison_(comparison), began_(hooks.now()) {}

  Result<void> go() {
    comparison_.stopped = StopReason::none;
    for (std::int64_t block = first_block(); comparison_.stopped == StopReason::none; ++block) {
      run_block(block);
      if (comparison_.stopped == StopReason::none) stop_if_enough(block);
      TACHO_CHECK(hooks_.keep(comparison_));
    }
    return {};
  }

 private:
  // Starts with an interrupted block, if there is one.
  [[nodiscard]] std::int64_t first_block() const {
    std::int64_t block = kWarmUpBlock;
    for (const ComparedRun& run : comparison_.runs) block = std::max(block, run.block.value_or(0));
    return block;
  }

  void run_block(std::int64_t block) {
    const Seconds block_began = hooks_.now();
    const std::size_t runs_before = comparison_.runs.size();
    const auto order =
        block_order(plan_.variants.size(), block, static_cast<std::uint64_t>(plan_.seed));
    for (const std::size_t variant : order) {
      if (lost_.contains(variant) || has_run(variant, block)) continue;
      if (interrupted()) {
        comparison_.stopped = StopReason::user;
        break;
      }
      run_variant(variant, block);
    }
    if (interrupted()) comparison_.stopped = StopReason::user;
    comparison_.metrics = compared_metrics(comparison_.runs, plan_.metrics);
    judge(comparison_);
    if (block != kWarmUpBlock && comparison_.runs.size() > runs_before) {
      block_seconds_.push_back((hooks_.now() - block_began).count());
    }
  }

  [[nodiscard]] bool interrupted() const { return hooks_.interrupts > 0; }

  [[nodiscard]] bool has_run(std::size_t variant, std::int64_t block) const {
    return std::any_of(
        comparison_.runs.begin(), comparison_.runs.end(),
        [&](const ComparedRun& run) { return run.variant == variant && run.block == block; });
  }

  void run_variant(std::size_t variant, std::int64_t block) {
    view_.run_begins(comparison_, point(variant, block));
    const auto made = hooks_.make_run(plan_.variants[variant], view_);
    const bool ended_well = made.ok() && made->record.outcome == Outcome::ok;
    // A run that was interrupted by the user says nothing about the variant.
    if (!ended_well && interrupted()) return;
    if (!made.ok()) return fail(variant, block, made.error().message);
    const RunRecord& record = made->record;
    if (!ended_well) {
      return fail(variant, block,
                  fmt::format("run {} ended with {}{}{}", made->id, kOutcomes.of(record.outcome),
                              record.reason.empty() ? "" : ": ", record.reason));
    }
    failures_[variant] = 0;
    ComparedRun run{.variant = variant,
                    .block = block,
                    .order = static_cast<std::int64_t>(comparison_.runs.size()),
                    .warm_up = block == kWarmUpBlock,
                    .run = record.order.key,
                    .values = compared_values(record)};
    if (!plan_.include_disturbed && !record.disturbed.empty()) {
      run.disturbed = record.disturbed.front();
      if (!run.warm_up) {
        note(fmt::format("run {} ({}, block {}) does not count: {}", made->id,
                         full_name(comparison_.variants[variant]), block, run.disturbed));
      }
    }
    comparison_.runs.push_back(std::move(run));
  }

  void fail(std::size_t variant, std::int64_t block, const std::string& why) {
    const bool gives_up = block == kWarmUpBlock || ++failures_[variant] >= kMostFailuresInARow;
    if (gives_up) lost_.insert(variant);
    const std::string place = block == kWarmUpBlock ? "warm-up" : fmt::format("block {}", block);
    note(fmt::format("{}, {}: {}{}", full_name(comparison_.variants[variant]), place, why,
                     gives_up ? "; this variant is given up" : ""));
  }

  void note(std::string sentence) {
    view_.note(sentence);
    auto& notes = comparison_.notes;
    if (std::find(notes.begin(), notes.end(), sentence) == notes.end()) {
      notes.push_back(std::move(sentence));
    }
  }

  static std::string full_name(const Variant& variant) {
    return variant.group.empty() ? variant.name : variant.group + ", " + variant.name;
  }

  void stop_if_enough(std::int64_t block) {
    if (!something_to_compare()) {
      comparison_.stopped = StopReason::failures;
    } else if (block != kWarmUpBlock) {
      comparison_.stopped = reason_to_stop(plan_.rule, blocks_done(block));
    }
  }

  [[nodiscard]] bool something_to_compare() const {
    std::map<std::string, int> left;
    for (std::size_t i = 0; i < comparison_.variants.size(); ++i) {
      if (!lost_.contains(i)) ++left[comparison_.variants[i].group];
    }
    return std::any_of(left.begin(), left.end(),
                       [](const auto& group) { return group.second > 1; });
  }

  // Counts the blocks up to and including `last`. A block with a disturbed run does not count and
  // is replaced by another.
  [[nodiscard]] BlocksDone blocks_done(std::int64_t last) const {
    std::set<std::int64_t> all;
    std::set<std::int64_t> disturbed;
    for (const ComparedRun& run : comparison_.runs) {
      if (run.warm_up || !run.block || *run.block > last) continue;
      all.insert(*run.block);
      if (!run.disturbed.empty()) disturbed.insert(*run.block);
    }
    BlocksDone done{.blocks = static_cast<std::int64_t>(all.size() - disturbed.size()),
                    .elapsed = hooks_.now() - began_,
                    .ratios = {},
                    .disturbed = static_cast<std::int64_t>(disturbed.size())};
    if (!block_seconds_.empty()) done.block_time = Seconds(median(block_seconds_));
    for (const Finding& finding : comparison_.findings) {
      const bool counts = finding.metric == comparison_.metrics.front().key &&
                          !lost_.contains(finding.variant) && !lost_.contains(finding.base);
      if (!counts) continue;
      done.ratios.push_back(finding.evidence.ratio);
      // There will be a ratio as soon as enough runs are undisturbed.
      const bool too_busy = finding.decision.verdict == Verdict::unclear;
      if (too_busy && !done.ratios.back()) done.ratios.back() = Ratio{};
    }
    return done;
  }

  [[nodiscard]] ComparePoint point(std::size_t variant, std::int64_t block) const {
    ComparePoint point{.block = block, .variant = variant};
    const std::int64_t done = std::max<std::int64_t>(0, block - 1);
    const BlocksDone so_far = blocks_done(done);
    point.last_block = done + blocks_left(plan_.rule, so_far);
    if (!block_seconds_.empty()) point.left = time_left(plan_.rule, so_far);
    const auto width = [](const Ratio& ratio) {
      return ratio.interval ? ratio.interval->high - ratio.interval->low : HUGE_VAL;
    };
    for (const auto& ratio : so_far.ratios) {
      if (ratio && (!point.widest || width(*ratio) > width(*point.widest))) point.widest = ratio;
    }
    return point;
  }

  const ComparePlan& plan_;
  const CompareHooks& hooks_;
  CompareView& view_;
  Comparison& comparison_;
  const Seconds began_;
  std::vector<double> block_seconds_;
  std::map<std::size_t, int> failures_;  // in a row
  std::set<std::size_t> lost_;
};

}  // namespace

Result<void> compare(const ComparePlan& plan, const CompareHooks& hooks, CompareView& view,
                     Comparison& comparison) {
  TACHO_CHECK(check(plan.rule));
  return Comparer(plan, hooks, view, comparison).go();
}

}  // namespace tacho
