#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/names.h"
#include "compare/ratio.h"
#include "record/metric.h"

namespace tacho {

// What two samples say about each other, before anything is concluded.
struct Evidence {
  std::optional<Ratio> ratio;
  // That samples of the same kind lie as far apart: of Wilcoxon's signed ranks where the runs are
  // paired by block, else of Mann and Whitney's.
  double p = 1;
  double mann_whitney_p = 1;
  // That a run of the second sample has the higher value than one of the first; equal ones count
  // half. Cliff's delta is twice this, less one.
  double superiority = 0.5;
};
Evidence weigh(const Sample& first, const Sample& second, double level = 0.95);

// Benjamini and Hochberg's correction: each p as it counts among all the others. Where nothing
// differs, one claim or more comes as seldom as of a single comparison; where much does, of all
// claims so few are wrong.
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
  std::int64_t more_runs = 0;  // of each variant, while it is unclear: an estimate
};

struct DecideRule {
  double resolution = 0.01;  // differences that do not matter lie within ± this
  double level = 0.95;
};

// All comparisons of one report at once, because each of them is a chance to be wrong: a difference
// is claimed where the interval leaves 1 out and p, corrected, is at most 0.8 · (1 − level); none
// is claimed where the interval lies within ± resolution.
std::vector<Decision> decide(std::span<const Evidence> evidence, const DecideRule& rule);

// "no difference: −0.2 % [−0.8, +0.4]", "slower by 3.1 % [2.4, 3.9]",
// "cannot tell yet: about 14 more runs".
std::string words(const Evidence& evidence, const Decision& decision, Unit unit);
// "−0.2 % [−0.8, +0.4]"; "" where there is no ratio.
std::string change_text(const std::optional<Ratio>& ratio);

}  // namespace tacho
