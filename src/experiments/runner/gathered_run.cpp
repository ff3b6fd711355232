#include "experiments/runner/gathered_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace tacho {

Result<GatheredRun> gather_run(RunStore& store, const std::string& handle, const Say& say) {
  TACHO_TRY(run, store.find(handle));
  std::error_code unreadable;
  if (!std::filesystem::exists(run.row.folder, unreadable)) {
    return Error{
        ErrorCode::not_found,
        fmt::format("run {}: its folder {} is missing; only 'tacho runs show {}' still works",
                    run.row.id, run.row.folder.string(), run.row.id)};
  }
  Waiting waiting(say);
  RunFolder folder(run.row.folder);
  auto findings = gather(folder, run.row.id, std::move(run.record),
                         [&](std::string_view what) { waiting.tell(what); });
  return GatheredRun{std::move(folder), std::move(findings)};
}

}  // namespace tacho
