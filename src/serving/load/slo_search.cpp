#include "serving/load/slo_search.h"

#include <algorithm>
#include <cmath>

namespace tacho::load {
namespace {

class Searcher {
 public:
  Searcher(const Slo& slo, const SearchOptions& options, const RateTest& test,
           const TrialView& view)
      : slo_(slo), options_(options), test_(test), view_(view) {}

  Result<Search> run() {
    TACHO_CHECK(bracket());
    while (going() && low_ && high_ && *high_ / *low_ > 1 + options_.resolution) {
      TACHO_CHECK(narrow());
    }
    if (going()) TACHO_CHECK(confirm());
    finish();
    return std::move(search_);
  }

 private:
  [[nodiscard]] bool going() const { return !search_.interrupted; }

  // Doubles the rate while it meets the objective, halves it while it does not.
  Result<void> bracket() {
    double rate = std::clamp(options_.first_rate, options_.lowest_rate, options_.highest_rate);
    while (going() && !(low_ && high_)) {
      TACHO_CHECK(test_at(rate));
      if (!going()) break;
      if (low_ && rate >= options_.highest_rate) break;
      if (!low_ && rate <= options_.lowest_rate) break;
      rate = low_ ? std::min(2 * *low_, options_.highest_rate)
                  : std::max(*high_ / 2, options_.lowest_rate);
    }
    return {};
  }

  Result<void> narrow() { return test_at(std::sqrt(*low_ * *high_)); }

  // A rate that met the objective by luck rarely does so twice.
  Result<void> confirm() {
    constexpr int kTries = 3;
    for (int i = 0; going() && low_ && i < kTries; ++i) {
      TACHO_TRY(verdict, judge_at(*low_));
      if (!going() || verdict == Verdict::kept) return {};
      fails(*low_, true);
      low_.reset();
      TACHO_CHECK(test_at(std::max(*high_ / (1 + options_.resolution), options_.lowest_rate)));
    }
    return {};
  }

  Result<void> test_at(double rate) {
    TACHO_TRY(verdict, judge_at(rate));
    if (!going()) return {};
    if (verdict == Verdict::kept) {
      low_ = rate;
    } else {
      fails(rate, verdict == Verdict::unclear);
    }
    return {};
  }

  void fails(double rate, bool unclear) {
    high_ = rate;
    search_.unclear = unclear;
  }

  Result<Verdict> judge_at(double rate) {
    Judge judge(slo_);
    Trial& trial = search_.trials.emplace_back(Trial{.rate = rate});
    while (trial.tests < options_.max_tests && trial.judgement.verdict == Verdict::unclear) {
      TACHO_TRY(measured, test_(rate));
      ++trial.tests;
      judge.add(measured);
      trial.judgement = judge.judge();
      trial.measured = std::move(measured);
      if (!trial.measured.interrupted) continue;
      search_.interrupted = true;
      break;
    }
    if (view_) view_(trial);
    return trial.judgement.verdict;
  }

  void finish() {
    search_.fails_from = high_;
    if (!low_) return;
    for (std::size_t i = 0; i < search_.trials.size(); ++i) {
      const Trial& trial = search_.trials[i];
      if (trial.rate == *low_ && trial.judgement.verdict == Verdict::kept) search_.best = i;
    }
  }

  const Slo& slo_;
  const SearchOptions& options_;
  const RateTest& test_;
  const TrialView& view_;
  Search search_;
  std::optional<double> low_;   // highest rate that meets the objective
  std::optional<double> high_;  // lowest rate above that does not
};

}  // namespace

double lowest_testable_rate(const Slo& slo, const SearchOptions& options, Nanoseconds duration) {
  constexpr double kNeeded = 4;         // requests per request that may be late, if none is
  constexpr double kAfterWarmup = 0.8;  // share of a test
  return kNeeded / (1 - slo.share) / (options.max_tests * Seconds(duration).count() * kAfterWarmup);
}

Result<Search> find_highest_rate(const Slo& slo, const SearchOptions& options, const RateTest& test,
                                 const TrialView& view) {
  return Searcher(slo, options, test, view).run();
}

}  // namespace tacho::load
