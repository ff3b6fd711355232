#include "serving/dashboard/detached_command.h"

#include "base/file.h"
#include "base/start_report.h"
#include "base/subprocess.h"

namespace tacho::serve {

Result<std::int64_t> start_detached(const DetachedCommand& command, std::string_view kind) {
  constexpr std::chrono::seconds kStartTimeout{60};
  TACHO_CHECK(make_folders(command.home));
  // setsid forks and exits, so the command is not a child of this server.
  std::vector<std::string> argv = {"setsid", "--fork", command.program.string()};
  argv.insert(argv.end(), command.words.begin(), command.words.end());
  Command detached{.argv = std::move(argv),
                   .environment = {{"TACHO_HOME", command.home.string()}},
                   .output_file = "/dev/null",  // the run's folder has its output
                   .inherited = command.inherited};
  TACHO_TRY(pipe, StartReportPipe::open());
  pipe.add_to(detached);
  TACHO_TRY(launcher, Process::start(detached));
  (void)launcher.wait();
  const auto id = pipe.read(kind, kStartTimeout);
  // The command's own error says enough.
  const bool no_report = !id.ok() && id.error().code == ErrorCode::failed;
  return no_report ? id.error().in("tacho " + command.words.front()) : id;
}

}  // namespace tacho::serve
