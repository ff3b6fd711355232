#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/names.h"
#include "experiments/compare/comparison.h"
#include "experiments/trials/losses.h"
#include "experiments/trials/trial_change.h"

namespace tacho {

// not_faster: the first trials showed no saving, so it was not measured further. not_measured: they
// showed one, but there was no time to measure it, or no trial that counts.
enum class TrialOutcome {
  faster,
  slower,
  same,
  unclear,
  not_faster,
  not_measured,
  no_effect,
  failed
};
inline constexpr Names<TrialOutcome, 8> kTrialOutcomes{
    "outcome of a trial",
    {{{TrialOutcome::faster, "faster"},
      {TrialOutcome::slower, "slower"},
      {TrialOutcome::same, "same"},
      {TrialOutcome::unclear, "unclear"},
      {TrialOutcome::not_faster, "not_faster"},
      {TrialOutcome::not_measured, "not_measured"},
      {TrialOutcome::no_effect, "no_effect"},
      {TrialOutcome::failed, "failed"}}}};

// What the trials of one change, or of several together, showed.
struct TriedChange {
  std::vector<TrialChange> changes;
  TrialOutcome outcome = TrialOutcome::not_measured;
  std::optional<Ratio> ratio = {};     // of the time per step, to the original's
  std::string words = {};              // the finding
  std::string effect = {};             // "53 convolutions"
  std::vector<std::string> keep = {};  // a command line, lines of Python or a diff
  std::string why = {};                // without an effect, or failed
  LossVerdict losses = {};

  [[nodiscard]] std::string name() const;  // "bf16 + channels-last"
  // Faster, with the losses of the original or of another seed.
  [[nodiscard]] bool recommended() const;
};

struct TrialReport {
  std::string title;  // the command line
  ComparedMetric metric;
  double original = 0;                    // median of the metric
  std::vector<TriedChange> tried;         // single changes, then all together if that was tried
  std::vector<std::int64_t> comparisons;  // in the store
  std::vector<std::string> notes;
  double seconds = 0;

  // The fastest recommended one; null if there is none.
  [[nodiscard]] const TriedChange* best() const;
};

// Fills outcome, ratio and words from the finding that compares a variant with the original.
// `measured`: the comparison was to measure it, not only to see whether it can be faster. Returns
// false if there is no such finding.
bool read_finding(const Comparison& comparison, std::size_t variant, bool measured,
                  TriedChange& tried);

// Returns the changes to combine: of each family the fastest one of those that can be recommended.
std::vector<TrialChange> to_combine(std::span<const TriedChange> tried);

// Returns true if the first trials leave a saving possible.
bool may_save(const TriedChange& tried);

Json to_json(const TrialReport& report);

}  // namespace tacho
