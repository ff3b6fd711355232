#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "predict/job_point.h"

namespace tacho {

// A point in the form that millions of comparisons take: labels as numbers, side by side.
struct alignas(64) CodedPoint {
  std::array<float, 16> measures{};
  std::array<std::int16_t, 16> labels{};
  bool cost_known = false;
};

// Numbers for labels. A label that was never seen is like no other, not even itself.
class Codebook {
 public:
  [[nodiscard]] CodedPoint add(const JobPoint& point);
  [[nodiscard]] CodedPoint look_up(const JobPoint& point) const;

 private:
  std::array<std::unordered_map<std::string, std::int16_t>, kLabels> numbers_;
};

// How much the errors of the cost model at two jobs have in common: a covariance, made of the
// parts that a job's error has (its model's, its software's, its GPU's, those of pairs, and what
// changes with size). What was measured for one job tells of others to that degree.
class Likeness {
 public:
  Likeness();
  [[nodiscard]] double operator()(const CodedPoint& a, const CodedPoint& b) const;
  // Of a job with itself: how wrong the cost model can be where nothing is known.
  [[nodiscard]] double whole(const CodedPoint& a) const;

 private:
  struct Term {
    std::uint16_t labels = 0;  // that must be the same
    std::int8_t shape = -1;    // which distance it fades with; -1: none
    bool unknown_cost = false;
    float variance = 0;
  };
  std::vector<Term> always_;
  std::vector<Term> gated_;
  std::vector<std::array<float, 16>> shapes_;  // 1/(2·length²) for each measure
  double whole_known_ = 0;
  double whole_unknown_ = 0;
};

}  // namespace tacho
