#include "experiments/runner/loopback_fallback.h"

#include <fmt/format.h>

#include "experiments/runner/launch.h"

namespace tacho {

Result<std::vector<AbsentThing>> fall_back_to_loopback(ComparePlan& plan) {
  std::vector<AbsentThing> replaced;
  for (PlannedVariant& variant : plan.variants) {
    auto* spec = std::get_if<RunSpec>(&variant.what);
    if (spec == nullptr || !variant.line_mbit) continue;
    DistSpec& dist = spec->dist;
    Standing standing;
    standing.line_mbit = variant.line_mbit;
    TACHO_TRY(launch, plan_launch(dist, standing));
    const auto possible = check_possible(launch);
    if (possible.ok()) continue;
    if (possible.error().code != ErrorCode::unavailable) return possible.error();
    replaced.push_back(
        {fmt::format("links of {} Mbit/s", *variant.line_mbit),
         possible.error().message + ". The processes used this machine's loopback instead"});
    dist.ranks_per_node *= dist.nodes;
    dist.nodes = 1;
    if (dist.backend == DistBackend::automatic) dist.backend = DistBackend::gloo;
    variant.line_mbit.reset();
  }
  return replaced;
}

}  // namespace tacho
