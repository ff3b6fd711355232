#include "experiments/runner/comms_ranks.h"

#include <fmt/format.h>

#include "experiments/runner/last_line.h"
#include "experiments/runner/temporary_folder.h"
#include "experiments/runner/worker_group.h"
#include "experiments/runner/worker_program.h"

namespace tacho {
namespace {

// Returns the worker's own error message, or how it ended if it wrote none.
Error error_of(const WorkerGroup& group) {
  constexpr std::string_view kProblem = "tacho-worker: ";
  const auto log = read_file(group.log_to_read());
  const std::string line = log.ok() ? last_line(*log) : "";
  const bool is_problem = line.starts_with(kProblem);
  return {ErrorCode::failed, is_problem ? line.substr(kProblem.size()) : group.explain()};
}

}  // namespace

Result<std::optional<Json>> run_comms_ranks(
    const CommsOrder& order, const std::atomic<int>& interrupts,
    const std::function<void(const std::string&)>& on_progress) {
  constexpr std::chrono::milliseconds kLookEvery{100};
  RunSpec spec;
  spec.dist = order.dist;
  const RunOrder run = new_order(spec);
  TACHO_TRY(worker, choose_worker(EnvironmentKind::bare));
  TACHO_TRY(temporary, TemporaryFolder::make());
  const RunFolder folder(temporary.path());
  TACHO_CHECK(write_file_atomically(folder.path() / "comms.json", json_text(order.request),
                                    Outlives::kill));
  TACHO_TRY(container, RunContainer::open(run, folder, order.home));
  TACHO_TRY(group, WorkerGroup::start({.worker = worker,
                                       .home = order.home,
                                       .folder = folder,
                                       .launch = order.launch,
                                       .patience = WorkerGroup::patience_of(order.dist),
                                       .container = container,
                                       .verb = "comms"}));
  const bool leads = order.launch.places.front().rank == 0;
  while (!group.wait_for(kLookEvery)) {
    group.forward_interrupts(interrupts);
    const auto log = leads ? read_file(folder.log()) : Result<std::string>(std::string());
    if (log.ok()) on_progress(last_line(*log));
  }
  if (!group.success() && interrupts > 1) return Error{ErrorCode::failed, "stopped by the user"};
  if (!group.success()) return error_of(group);
  if (!leads) return std::optional<Json>();
  TACHO_TRY(text, read_file(folder.path() / "survey.json"));
  TACHO_TRY(survey, parse_json(text));
  return std::optional(survey);
}

}  // namespace tacho
