#include <chrono>

#include "base/run_clock.h"
#include "core/emit/json_lines_sink.h"
#include "experiments/runner/run_start.h"
#include "experiments/runner/run_state.h"
#include "experiments/runner/runner.h"
#include "machine/probe/self_usage.h"

namespace tacho {

Result<FinishedRun> Runner::carry_out(const RunOrder& order, const OwnWork& work) {
  const RunClock clock;
  TACHO_TRY(begun, begin(order));
  TACHO_TRY(events, JsonLinesSink::open(begun.folder.events()));
  TACHO_CHECK(events->write({clock.now(), start_of_run()}));
  const auto began = std::chrono::steady_clock::now();
  const SelfUsage before = self_usage();
  const auto add_event = [&events, &clock](const EventBody& body) {
    return events->write({clock.now(), body});
  };
  const auto done = work(begun.id, add_event);
  const SelfUsage used = self_usage();
  RunEnded ended;
  ended.outcome = done.ok() ? done->outcome : Outcome::failed;
  ended.reason = done.ok() ? done->reason : done.error().message;
  ended.wall_seconds = Seconds(std::chrono::steady_clock::now() - began).count();
  ended.user_seconds = (used.user - before.user).count();
  ended.system_seconds = (used.system - before.system).count();
  ended.peak_memory_bytes = used.peak_memory.count;
  (void)events->write({clock.now(), ended}).ok();  // close_run() handles a full disk
  TACHO_TRY(record, close_run(begun.folder, ended.outcome, ended.reason));
  TACHO_CHECK(keep(record, begun.folder));
  if (!done.ok()) return done.error();
  return FinishedRun{begun.id, std::move(record)};
}

}  // namespace tacho
