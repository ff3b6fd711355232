#include "experiments/runner/separate_ranks.h"

#include <fmt/format.h>

#include <csignal>

#include "core/record/run_folder.h"
#include "experiments/runner/temporary_folder.h"
#include "experiments/runner/worker_group.h"
#include "experiments/runner/worker_program.h"

namespace tacho {
namespace fs = std::filesystem;

Result<void> run_separate_ranks(const RunOrder& order, const Launch& launch, const fs::path& home,
                                const std::atomic<int>& interrupts, bool& met,
                                const std::function<bool()>& superseded) {
  constexpr std::chrono::milliseconds kLookEvery{100};
  const RunSpec& spec = order.spec;
  TACHO_TRY(reads, files_read_by(spec, home));
  TACHO_TRY(worker, choose_worker(order.environment.kind));
  TACHO_TRY(temporary, TemporaryFolder::make());
  const RunFolder folder(temporary.path());
  TACHO_CHECK(folder.create(order));
  TACHO_TRY(container, RunContainer::open(order, folder, home));
  TACHO_TRY(group, WorkerGroup::start({worker,
                                       home,
                                       folder,
                                       launch,
                                       WorkerGroup::patience_of(spec.dist),
                                       container,
                                       {},
                                       reads}));
  const auto have_met = [&] {
    std::error_code hidden;
    return fs::exists(folder.path() / kRanksMetFile, hidden);
  };
  bool ended = false;
  while (!group.wait_for(kLookEvery)) {
    group.forward_interrupts(interrupts);
    if (ended || have_met() || !superseded()) continue;
    group.signal(SIGKILL);
    ended = true;
  }
  met = have_met();
  if (group.success()) return {};
  if (ended) return Error{ErrorCode::failed, "machine 0 began another attempt"};
  if (group.stop_requested()) return Error{ErrorCode::failed, "stopped by the user"};
  temporary.keep();
  return Error{ErrorCode::failed,
               fmt::format("{}; its log is {}", group.explain(), group.log_to_read().string())};
}

}  // namespace tacho
