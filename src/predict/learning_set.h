#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "predict/job_point.h"

namespace tacho {

// Of lessons that are no published figures but runs of Tacho's.
inline constexpr std::string_view kOwnSource = "tacho";

// A measured job, and how wrong the cost model was about it.
struct Lesson {
  JobPoint point;
  double error = 0;  // log(measured / modelled step time)
  double nodes = 1;
  std::string source;
};

// One lesson a job: figures of the same job from the same source become their median.
std::vector<Lesson> make_lessons(const std::vector<MeasuredJob>& jobs, const PointMaker& points);

// At most `limit` of a source's lessons, its models and their GPUs in equal shares, and about
// `total` in all: so no source drowns the others, and learning ends in time. The same choice every
// time.
std::vector<Lesson> balanced(std::vector<Lesson> lessons, std::size_t limit, std::size_t total);

}  // namespace tacho
