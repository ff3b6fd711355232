// Makes one call of a launcher, so that tests can manipulate the scheduler between calls:
//   launch_probe KIND FOLDER submit BATCH COUNT SCRIPT [NAME=VALUE…]
//   launch_probe KIND FOLDER poll|cancel|forget BATCH [NAME=VALUE…]
// Tasks are named t0, t1, … and run by sh in FOLDER with their name in $KEY. poll prints JSON. Exit
// code 3: no update.
#include <fmt/format.h>

#include <cstdlib>
#include <span>

#include "base/json_object.h"
#include "machine/launch/open_launcher.h"
#include "machine/launch/task_status.h"

namespace tacho {
namespace {

constexpr std::array<const char*, 4> kStates{"waiting", "running", "ended", "lost"};

using Words = std::span<const std::string>;

Result<std::unique_ptr<Launcher>> open(LauncherKind kind, const std::string& folder,
                                       Words options) {
  LauncherSettings settings{.folder = folder + "/batches"};
  for (const std::string& option : options) {
    const auto sign = option.find('=');
    const std::string value = sign == std::string::npos ? "" : option.substr(sign + 1);
    if (option.starts_with("at-once=")) {
      settings.at_once = std::atoi(value.c_str());
    } else {
      settings.options[option.substr(0, sign)] = value;
    }
  }
  return open_launcher(kind, settings);
}

Result<void> submit(Launcher& launcher, const std::string& folder, Words words) {
  std::vector<Task> tasks;
  for (int i = 0; i < std::atoi(words[1].c_str()); ++i) {
    const std::string key = fmt::format("t{}", i);
    tasks.push_back({.key = key,
                     .command = {.argv = {"/bin/sh", "-c", words[2]},
                                 .environment = {{"KEY", key}},
                                 .folder = folder},
                     .log = folder + "/" + key + ".log"});
  }
  return launcher.submit(words[0], tasks);
}

Result<void> poll(Launcher& launcher, const std::string& batch) {
  TACHO_TRY(all, launcher.poll(batch));
  Json tasks = Json::object();
  for (const TaskUpdate& update : all) {
    Json task{{"state", kStates.at(static_cast<std::size_t>(update.state))},
              {"ended_by", kEndedBy.of(update.ended_by)},
              {"where", update.where},
              {"reason", update.reason}};
    if (update.status) task["status"] = describe(*update.status);
    tasks[update.key] = task;
  }
  fmt::print("{}\n", json_text(tasks));
  return {};
}

Result<void> run(Words words) {
  TACHO_TRY(kind, kLauncherKinds.parse(words[0]));
  const std::string& folder = words[1];
  const std::string& call = words[2];
  const Words rest = words.subspan(3);
  const std::size_t taken = call == "submit" ? 3 : 1;
  if (rest.size() < taken) return Error{ErrorCode::usage, "too few words"};
  TACHO_TRY(launcher, open(kind, folder, rest.subspan(taken)));
  if (call == "submit") return submit(*launcher, folder, rest);
  if (call == "poll") return poll(*launcher, rest[0]);
  if (call == "cancel") return launcher->cancel_all(rest[0]);
  if (call == "forget") return launcher->forget(rest[0]);
  return Error{ErrorCode::usage, "no such call: " + call};
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 4) return 2;
  const auto done = tacho::run(words);
  if (done.ok()) return 0;
  fmt::print(stderr, "launch_probe: {}\n", done.error().message);
  return done.error().code == tacho::ErrorCode::unavailable ? 3 : 1;
}
