#include "experiments/runner/sweep_runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/clock.h"
#include "base/home.h"
#include "machine/launch/open_launcher.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// tacho-take is next to tacho, also on other machines where tacho has another path.
Result<fs::path> find_take(const SweepSettings& settings) {
  const auto& options = settings.launcher.options;
  if (const auto elsewhere = options.find("tacho"); elsewhere != options.end()) {
    return fs::path(elsewhere->second).parent_path() / "tacho-take";
  }
  if (settings.launcher.kind == "kubernetes") return fs::path("/usr/local/bin/tacho-take");
  const fs::path take = program_folder() / "tacho-take";
  if (::access(take.c_str(), X_OK) == 0) return take;
  return Error{
      ErrorCode::unavailable,
      take.string() + " is missing, and the runs of a sweep need it; build it with script/build"};
}

Result<std::unique_ptr<Launcher>> launcher_of(const SweepSettings& settings,
                                              const fs::path& folder) {
  TACHO_TRY(kind, kLauncherKinds.parse(settings.launcher.kind));
  LauncherSettings opened{.folder = folder, .options = settings.launcher.options};
  if (settings.launcher.slots) opened.at_once = static_cast<int>(*settings.launcher.slots);
  return open_launcher(kind, opened);
}

// Returns the variables that a run needs; on other machines it does not inherit this environment.
std::map<std::string, std::string> environment_of_runs(const fs::path& home) {
  std::map<std::string, std::string> variables = {{"TACHO_HOME", home.string()}};
  if (const char* worker = std::getenv("TACHO_WORKER"); worker != nullptr && *worker != '\0') {
    variables["TACHO_WORKER"] = worker;
  }
  return variables;
}

std::vector<SweepTask> tasks_of(const std::vector<PlannedRun>& runs) {
  std::vector<SweepTask> tasks;
  tasks.reserve(runs.size());
  for (const PlannedRun& run : runs) {
    SweepTask task;
    task.configuration = run.configuration;
    task.repetition = run.repetition;
    task.asked = run.asked;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace

Result<SweepSettings> settings_of(const SweepRow& sweep) {
  TACHO_TRY(json, parse_json(sweep.settings));
  return sweep_settings_from_json(json).in(fmt::format("sweep {}", sweep.id));
}

Result<SweepRow> SweepRunner::add(const std::string& name, const std::string& grid,
                                  const std::vector<PlannedRun>& runs,
                                  const SweepSettings& settings, const std::string& key) {
  SweepRow row{.key = key,
               .name = name,
               .grid = grid,
               .settings = json_text(to_json(settings)),
               .created_at = unix_seconds_now()};
  TACHO_TRY(id, store_.add(row, tasks_of(runs)));
  row.id = id;
  return row;
}

Result<void> SweepRunner::check(const SweepSettings& settings) const {
  TACHO_CHECK(find_take(settings));
  TACHO_TRY(launcher, launcher_of(settings, home_ / "sweeps"));
  return launcher->check();
}

bool SweepRunner::is_driven(const SweepRow& sweep) const {
  const fs::path lock = folder_of(sweep) / "lock";
  std::error_code unreadable;
  if (!fs::exists(lock, unreadable)) return false;
  const auto taken = FileLock::take(lock, FileLock::Kind::exclusive);
  return !taken.ok() && taken.error().code == ErrorCode::unavailable;
}

Result<SweepDriver::End> SweepRunner::drive(const SweepRow& sweep, const SweepSettings& settings,
                                            SweepView& view, ChooseNext choose) {
  const fs::path folder = folder_of(sweep);
  TACHO_CHECK(make_folders(folder));
  const auto lock = FileLock::take(folder / "lock", FileLock::Kind::exclusive);
  if (!lock.ok() && lock.error().code == ErrorCode::unavailable) {
    return Error{
        ErrorCode::usage,
        fmt::format("another tacho is running sweep {}; follow it with 'tacho sweep watch {}'",
                    sweep.id, sweep.id)};
  }
  if (!lock.ok()) return lock.error();
  TACHO_TRY(take, find_take(settings));
  TACHO_TRY(launcher, launcher_of(settings, folder / "batches"));
  TACHO_CHECK(launcher->check());
  SweepDriver driver({.home = home_,
                      .take = {take.string()},
                      .environment = environment_of_runs(home_),
                      .settings = settings,
                      .choose = std::move(choose),
                      .hook = hook_},
                     store_, *launcher, interrupts_, view);
  return driver.run(sweep);
}

Result<void> SweepRunner::cancel(const SweepRow& sweep, SweepView& view) {
  constexpr std::chrono::milliseconds kLookEvery{100};
  TACHO_CHECK(store_.set_state(sweep.id, SweepState::cancelled));
  while (is_driven(sweep)) {
    if (interrupts_ > 0) {
      return Error{ErrorCode::failed,
                   fmt::format("sweep {} is cancelled but has not ended yet", sweep.id)};
    }
    std::this_thread::sleep_for(kLookEvery);
  }
  TACHO_TRY(counts, store_.counts(sweep.id));
  const bool left =
      counts.states[SweepTaskState::waiting] > 0 || counts.states[SweepTaskState::submitted] > 0;
  if (!left) return {};
  // There was no driver, or it was killed.
  TACHO_TRY(settings, settings_of(sweep));
  TACHO_TRY(end, drive(sweep, settings, view));
  (void)end;
  return {};
}

}  // namespace tacho
