#include "predict/speed/novelty.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

JobPoint point(const std::string& model, const std::string& gpu, float nodes) {
  JobPoint out = made::examples().front().point;
  out.labels[Label::model] = model;
  out.labels[Label::model_line] = model_name(model).line;
  out.labels[Label::gpu] = gpu;
  out.measures[Measure::nodes] = std::log(nodes);
  return out;
}

TEST(Novelty, IsAboutModelGpuNodesAndSoftware) {
  SeenGroups seen;
  seen.add(point("resnet50", "G1", 2));
  EXPECT_EQ(seen.novelty_of(point("resnet50", "G1", 1)), Novelty{});
  EXPECT_EQ(seen.novelty_of(point("resnet18", "G1", 1)).model, ModelNovelty::relative);
  EXPECT_EQ(seen.novelty_of(point("vgg16", "G1", 1)).model, ModelNovelty::family);
  EXPECT_EQ(seen.novelty_of(point("resnet50", "G2", 1)).gpu, GpuNovelty::generation);
  EXPECT_EQ(seen.novelty_of(point("resnet50", "G1", 2)).nodes, NodesNovelty::several);
  EXPECT_EQ(seen.novelty_of(point("resnet50", "G1", 4)).nodes, NodesNovelty::more);
  JobPoint other = point("resnet50", "G2", 1);
  other.labels[Label::architecture] = "Other";
  other.labels[Label::stack] = "other";
  EXPECT_EQ(seen.novelty_of(other).gpu, GpuNovelty::architecture);
  EXPECT_FALSE(seen.novelty_of(other).software_known);
}

TEST(Novelty, HasADistinctText) {
  std::set<std::string> texts;
  for (const auto model : {ModelNovelty::known, ModelNovelty::relative, ModelNovelty::family}) {
    for (const auto nodes : {NodesNovelty::one, NodesNovelty::several, NodesNovelty::more}) {
      for (const bool known : {false, true}) {
        texts.insert(Novelty{.model = model, .nodes = nodes, .software_known = known}.text());
        texts.insert(Novelty{.model = model, .nodes = nodes, .cost_known = known}.text());
      }
    }
  }
  EXPECT_EQ(texts.size(), 3U * 3U * 3U);
}

}  // namespace
}  // namespace tacho
