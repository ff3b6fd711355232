#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/names.h"
#include "core/record/metric.h"
#include "experiments/compare/ratio.h"

namespace tacho {

// The statistics of two samples, before a decision.
struct Evidence {
  std::optional<Ratio> ratio;
  // p value of equal distributions: Wilcoxon signed-rank test if runs are paired by block,
  // otherwise Mann–Whitney U test.
  double p = 1;
  double mann_whitney_p = 1;
  // Probability that a run of the second sample has a higher value than a run of the first; ties
  // count half. Cliff's delta is twice this minus one.
  double superiority = 0.5;
};
Evidence weigh(const Sample& first, const Sample& second, double level = 0.95);

// Returns p values after the Benjamini–Hochberg correction, which bounds the share of false claims
// among all claims; if nothing differs, the probability of any claim is that of a single
// comparison.
std::vector<double> benjamini_hochberg(std::span<const double> p);

enum class Verdict { same, higher, lower, unclear, no_ratio };
inline constexpr Names<Verdict, 5> kVerdicts{"verdict",
                                             {{{Verdict::same, "same"},
                                               {Verdict::higher, "higher"},
                                               {Verdict::lower, "lower"},
                                               {Verdict::unclear, "unclear"},
                                               {Verdict::no_ratio, "no_ratio"}}}};

struct Decision {
  Verdict verdict = Verdict::unclear;
  double p_corrected = 1;
  std::int64_t more_runs = 0;  // per variant, while unclear: an estimate
};

struct DecideRule {
  double resolution = 0.01;  // differences within ± this do not matter
  double level = 0.95;
};

// Decides all comparisons of a report together, because each of them can be wrong. A difference is
// claimed if the interval excludes 1 and the corrected p is at most 0.8 · (1 − level); "no
// difference" is claimed if the interval is within ± resolution.
std::vector<Decision> decide(std::span<const Evidence> evidence, const DecideRule& rule);

// "no difference: −0.2 % [−0.8, +0.4]", "slower by 3.1 % [2.4, 3.9]", "not enough runs yet: about
// 14 more".
std::string words(const Evidence& evidence, const Decision& decision, Unit unit);
// "−0.2 % [−0.8, +0.4]"; "" without a ratio.
std::string change_text(const std::optional<Ratio>& ratio);

}  // namespace tacho
