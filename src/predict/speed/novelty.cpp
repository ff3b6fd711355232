#include "predict/speed/novelty.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacho {
namespace {

constexpr Names<ModelNovelty, 3> kModels{"novelty of a model",
                                         {{{ModelNovelty::known, "known model"},
                                           {ModelNovelty::relative, "known family"},
                                           {ModelNovelty::family, "new family"}}}};
constexpr Names<GpuNovelty, 3> kGpus{"novelty of a GPU",
                                     {{{GpuNovelty::known, "known GPU"},
                                       {GpuNovelty::generation, "known generation"},
                                       {GpuNovelty::architecture, "new generation"}}}};
constexpr Names<NodesNovelty, 3> kNodes{"number of nodes",
                                        {{{NodesNovelty::one, "one node"},
                                          {NodesNovelty::several, "several nodes"},
                                          {NodesNovelty::more, "more nodes"}}}};

}  // namespace

std::string Novelty::text() const {
  return fmt::format("{}, {}, {}{}{}", kModels.of(model), kGpus.of(gpu), kNodes.of(nodes),
                     software_known ? "" : ", new software", cost_known ? "" : ", rough cost");
}

void SeenGroups::add(const JobPoint& point) {
  const auto& labels = point.labels;
  models_.insert(labels[Label::model]);
  lines_.insert(labels[Label::model_line]);
  gpus_.insert(labels[Label::gpu]);
  architectures_.insert(labels[Label::architecture]);
  float& most = most_nodes_.try_emplace(labels[Label::stack], 0.0F).first->second;
  most = std::max(most, point.measures[Measure::nodes]);
}

Novelty SeenGroups::novelty_of(const JobPoint& point) const {
  const auto& labels = point.labels;
  const auto software = most_nodes_.find(labels[Label::stack]);
  const float nodes = point.measures[Measure::nodes];
  Novelty out;
  out.model = models_.contains(labels[Label::model])       ? ModelNovelty::known
              : lines_.contains(labels[Label::model_line]) ? ModelNovelty::relative
                                                           : ModelNovelty::family;
  out.gpu = gpus_.contains(labels[Label::gpu])                     ? GpuNovelty::known
            : architectures_.contains(labels[Label::architecture]) ? GpuNovelty::generation
                                                                   : GpuNovelty::architecture;
  out.software_known = software != most_nodes_.end();
  out.nodes = nodes <= 0                                        ? NodesNovelty::one
              : out.software_known && nodes <= software->second ? NodesNovelty::several
                                                                : NodesNovelty::more;
  out.cost_known = point.cost_known;
  return out;
}

}  // namespace tacho
