#include "experiments/study/shipped_studies.h"

#include <algorithm>
#include <array>

#include "experiments/study/communication_yaml.h"
#include "experiments/study/cpu_vs_gpu_yaml.h"
#include "experiments/study/environments_yaml.h"
#include "experiments/study/recommender_yaml.h"
#include "experiments/study/scale_out_yaml.h"

namespace tacho {

std::span<const ShippedStudy> shipped_studies() {
  static constexpr std::array kAll = {
      ShippedStudy{"environments", kEnvironmentsYaml}, ShippedStudy{"scale-out", kScaleOutYaml},
      ShippedStudy{"cpu-vs-gpu", kCpuVsGpuYaml}, ShippedStudy{"recommender", kRecommenderYaml},
      ShippedStudy{"communication", kCommunicationYaml}};
  return kAll;
}

const ShippedStudy* find_shipped_study(std::string_view name) {
  const auto all = shipped_studies();
  const auto found = std::ranges::find(all, name, &ShippedStudy::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tacho
