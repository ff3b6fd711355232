#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/enum_array.h"
#include "predict/speed/covariance_terms.h"
#include "predict/speed/job_point.h"

namespace tacho {

// A point for comparisons: labels are numbers.
struct CodedPoint {
  EnumArray<Measure, float, kMeasures> measures{};
  EnumArray<Label, std::int32_t, kLabels> labels{};
  bool cost_known = false;
};

// Numbers for labels. An unknown label equals no other, not even itself.
class Codebook {
 public:
  [[nodiscard]] CodedPoint add(const JobPoint& point);
  [[nodiscard]] CodedPoint look_up(const JobPoint& point) const;

 private:
  std::array<std::unordered_map<std::string, std::int32_t>, kLabels> numbers_;
};

// Many points, with each measure and label in a separate column, so that one point is compared with
// several of them at a time.
class CodedColumns {
 public:
  static constexpr std::size_t kAtATime = 16;
  CodedColumns() = default;
  explicit CodedColumns(std::span<const CodedPoint> points);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  friend class CovarianceKernel;
  std::size_t size_ = 0;
  EnumArray<Measure, std::vector<float>, kMeasures> measures_;
  std::array<std::vector<std::int32_t>, kLabels + 1> labels_;  // the last: cost is unknown
};

// The covariance of the cost model's errors for two jobs, composed of the parts of a job's error:
// of its model, its software, its GPU, of pairs of them, and parts that change with size.
class CovarianceKernel {
 public:
  static constexpr std::size_t kMostShapes = 14;
  CovarianceKernel();
  // Computes the covariances with the first `count` of many. `out` needs room for
  // CodedColumns::kAtATime - 1 more.
  void compare(const CodedPoint& point, const CodedColumns& others, std::size_t count,
               float* out) const;
  [[nodiscard]] double operator()(const CodedPoint& a, const CodedPoint& b) const;
  // Returns the covariance of a job with itself: the prior variance of the cost model's error.
  [[nodiscard]] double whole(const CodedPoint& a) const;

 private:
  template <class Unit>
  void compare_by(const CodedPoint& point, const CodedColumns& others, std::size_t count,
                  float* out) const;
  void compare_by_eight(const CodedPoint& point, const CodedColumns& others, std::size_t count,
                        float* out) const;  // not available on every x86-64

  // The covariance of jobs with certain labels in common: a constant part and one per shape, which
  // decreases with the shape's distance.
  struct Shared {
    std::array<float, kMostShapes + 1> parts{};  // one per shape, then the constant one
    std::uint32_t shapes = 0;                    // shapes with a part, one bit each
  };
  static constexpr std::size_t kNeverFades = kMostShapes;
  static void add(const CovarianceTerm& term, float variance, Shared& shared);
  struct Fading {
    Measure measure = Measure::batch;
    float weight = 0;  // 1/(2·length²)
  };
  std::vector<Shared> shared_;  // by the set of labels in common, one bit each
  std::vector<std::vector<Fading>> shapes_;
  std::vector<Measure> measures_;    // used by a shape
  std::vector<std::size_t> labels_;  // used by a term
  double whole_known_ = 0;
  double whole_unknown_ = 0;
};

}  // namespace tacho
