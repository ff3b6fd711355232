#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "predict/speed/job_point.h"

namespace tacho {

enum class ModelNovelty { known, relative, family };        // the model, only its relatives, none
enum class GpuNovelty { known, generation, architecture };  // the GPU, only its generation, none
enum class NodesNovelty { one, several, more };  // "more": than any job of the software on several

// What is new about a job. Intervals are calibrated for each kind, so that none gets its coverage
// at the expense of another.
struct Novelty {
  ModelNovelty model = ModelNovelty::known;
  GpuNovelty gpu = GpuNovelty::known;
  NodesNovelty nodes = NodesNovelty::one;
  bool software_known = true;
  bool cost_known = true;

  [[nodiscard]] bool is_new_family() const {
    return model == ModelNovelty::family && nodes == NodesNovelty::one;
  }
  [[nodiscard]] std::string text() const;  // "model, generation, one"; a key in files
  auto operator<=>(const Novelty&) const = default;
};

// The groups that some jobs belong to.
class SeenGroups {
 public:
  void add(const JobPoint& point);
  [[nodiscard]] Novelty novelty_of(const JobPoint& point) const;

 private:
  std::set<std::string> models_;
  std::set<std::string> lines_;
  std::set<std::string> gpus_;
  std::set<std::string> architectures_;
  std::map<std::string, float> most_nodes_;  // by software, logarithm
};

}  // namespace tacho
