#include "cli/take_part.h"

#include <fmt/format.h>

#include "base/home.h"
#include "experiments/runner/attempt_search.h"
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
  TACHO_CHECK(check(order.spec.dist, standing));
  TACHO_TRY(home, tacho_home());
  catch_interrupts();
  AttemptSearch search(order.spec.dist, standing, interrupts(),
                       [&](const std::string& words) { context.warn(words); });
  std::string said;
  const auto attempt = [&](bool& met) -> Result<void> {
    TACHO_TRY(launch, search.next());
    const std::string part = part_line(launch);
    if (part != said) context.warn(said = part);
    return run_separate_ranks(order, launch, home, interrupts(), met,
                              [&] { return search.superseded(); });
  };
  Restarts restarts(max_restarts);
  while (true) {
    bool met = false;
    const auto ended = attempt(met);
    if (ended.ok()) return kSuccess;
    const bool may_help = ended.error().code == ErrorCode::failed && interrupts() == 0;
    if (may_help && !met && search.superseded()) continue;  // it was not the attempt of this job
    if (!may_help || !restarts.again(met)) return ended.error();
    if (met) search.end_attempt();
    context.warn(restarts.words(ended.error().message));
  }
}

}  // namespace tacho
