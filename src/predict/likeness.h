#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/enum_array.h"
#include "predict/job_point.h"
#include "predict/likeness_terms.h"

namespace tacho {

// A point as comparisons take it: labels as numbers.
struct CodedPoint {
  EnumArray<Measure, float, kMeasures> measures{};
  EnumArray<Label, std::int32_t, kLabels> labels{};
  bool cost_known = false;
};

// Numbers for labels. A label that was never seen is like no other, not even itself.
class Codebook {
 public:
  [[nodiscard]] CodedPoint add(const JobPoint& point);
  [[nodiscard]] CodedPoint look_up(const JobPoint& point) const;

 private:
  std::array<std::unordered_map<std::string, std::int32_t>, kLabels> numbers_;
};

// Many points, each measure and each label in a column of its own, so that one point is compared
// with several of them at a time.
class CodedColumns {
 public:
  static constexpr std::size_t kAtATime = 16;
  CodedColumns() = default;
  explicit CodedColumns(std::span<const CodedPoint> points);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  friend class Likeness;
  std::size_t size_ = 0;
  EnumArray<Measure, std::vector<float>, kMeasures> measures_;
  std::array<std::vector<std::int32_t>, kLabels + 1> labels_;  // the last: whether cost is unknown
};

// How much the errors of the cost model at two jobs have in common: a covariance, made of the
// parts that a job's error has (its model's, its software's, its GPU's, those of pairs, and what
// changes with size). What was measured for one job tells of others to that degree.
class Likeness {
 public:
  static constexpr std::size_t kMostShapes = 14;
  Likeness();
  // Of a point with the first `count` of many. `out` has room for CodedColumns::kAtATime - 1 more.
  void compare(const CodedPoint& point, const CodedColumns& others, std::size_t count,
               float* out) const;
  [[nodiscard]] double operator()(const CodedPoint& a, const CodedPoint& b) const;
  // Of a job with itself: how wrong the cost model can be where nothing is known.
  [[nodiscard]] double whole(const CodedPoint& a) const;

 private:
  template <class Unit>
  void compare_by(const CodedPoint& point, const CodedColumns& others, std::size_t count,
                  float* out) const;
  void compare_by_eight(const CodedPoint& point, const CodedColumns& others, std::size_t count,
                        float* out) const;  // which not every x86-64 has

  // What jobs with certain labels in common share: a part that is the same for all of them, and one
  // for each shape, which fades with the shape's distance.
  struct Shared {
    std::array<float, kMostShapes + 1> parts{};  // one for each shape, then what never fades
    std::uint32_t shapes = 0;                    // those with a part, a bit for each
  };
  static constexpr std::size_t kNeverFades = kMostShapes;
  static void add(const LikenessTerm& term, float variance, Shared& shared);
  struct Fading {
    Measure measure = Measure::batch;
    float weight = 0;  // 1/(2·length²)
  };
  std::vector<Shared> shared_;  // by the set of labels in common, a bit for each
  std::vector<std::vector<Fading>> shapes_;
  std::vector<Measure> measures_;    // those that a shape looks at …
  std::vector<std::size_t> labels_;  // … and those that a term asks for
  double whole_known_ = 0;
  double whole_unknown_ = 0;
};

}  // namespace tacho
