#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "predict/speed/job_point.h"

namespace tacho {

// The source of examples that come from Tacho's runs instead of published figures.
inline constexpr std::string_view kOwnSource = "tacho";

// A measured job with the error of the cost model.
struct TrainingExample {
  JobPoint point;
  double error = 0;  // log(measured / modelled step time)
  double nodes = 1;
  std::string source;
};

// Returns one example per job: figures of the same job from the same source become their median.
std::vector<TrainingExample> make_examples(const std::vector<MeasuredJob>& jobs,
                                           const PointMaker& points);

// Returns at most `limit` examples per source, with models and GPUs in equal shares, and about
// `total` in all, so that no source dominates and training time is limited. Deterministic.
std::vector<TrainingExample> balanced(std::vector<TrainingExample> examples, std::size_t limit,
                                      std::size_t total);

}  // namespace tacho
