#include "cli/take_part.h"

#include <fmt/format.h>

#include "base/home.h"
#include "experiments/runner/restarts.h"
#include "experiments/runner/separate_ranks.h"

namespace tacho {

std::string part_line(const Launch& launch) {
  const Place& first = launch.places.front();
  const Place& last = launch.places.back();
  if (first.rank == last.rank) {
    return fmt::format("rank {} of {}: its part of the record is with rank 0 on {}", first.rank,
                       first.size, first.host);
  }
  return fmt::format("ranks {} to {} of {}: their part of the record is with rank 0 on {}",
                     first.rank, last.rank, first.size, first.host);
}

Result<int> take_part(const RunOrder& order, const Standing& standing, std::int64_t max_restarts,
                      const Context& context) {
  TACHO_TRY(launch, plan_launch(order.spec.dist, standing));
  TACHO_TRY(home, tacho_home());
  catch_interrupts();
  context.warn(part_line(launch));
  Restarts restarts(max_restarts);
  while (true) {
    bool met = false;
    const auto ended = run_separate_ranks(order, launch, home, interrupts(), met);
    if (ended.ok()) return kSuccess;
    const bool may_help = ended.error().code == ErrorCode::failed && interrupts() == 0;
    if (!may_help || !restarts.again(met)) return ended.error();
    context.warn(restarts.words(ended.error().message));
  }
}

}  // namespace tacho
