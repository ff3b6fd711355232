#include "cli/study_survey.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <chrono>
#include <csignal>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "base/signals.h"
#include "base/subprocess.h"
#include "base/units.h"
#include "cli/load_view.h"

namespace tacho {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

UniqueFd new_file(const std::filesystem::path& path) {
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

// The process has its own group, so that Ctrl-C from a terminal or by kill is forwarded once.
ExitStatus wait_for_end(Process& process, const Context& context) {
  LoadLine line(context.err, false);
  const auto began = Clock::now();
  bool interrupt_sent = false;
  for (;;) {
    if (const auto ended = process.wait_for(100ms)) return *ended;
    if (!interrupt_sent && interrupts() > 0) {
      process.signal(SIGINT);
      interrupt_sent = true;
    }
    line.show(fmt::format("measuring memory, {} so far", human_clock(Clock::now() - began)));
  }
}

}  // namespace

Result<bandwidth::Survey> survey_memory(const std::vector<std::string>& words,
                                        const Context& context) {
  const ScratchFolder folder;
  const UniqueFd out = new_file(folder.path() / "out");
  const UniqueFd err = new_file(folder.path() / "err");
  if (!out || !err) return Error{ErrorCode::failed, "cannot write to " + folder.path().string()};
  Command command{.argv = {"/proc/self/exe", "bench", "memory", "--json"},
                  .out = out.get(),
                  .err = err.get(),
                  .own_group = true,
                  .dies_with_parent = true};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  TACHO_TRY(process, Process::start(command));
  const ExitStatus status = wait_for_end(process, context);
  if (!status.success()) {
    // 'tacho bench memory' reports what is missing and how to get it.
    TACHO_TRY(said, read_file(folder.path() / "err"));
    return Error{ErrorCode::unavailable, said.substr(0, said.find('\n'))};
  }
  TACHO_TRY(text, read_file(folder.path() / "out"));
  TACHO_TRY(json, parse_json(text));
  return bandwidth::survey_from_json(json);
}

}  // namespace tacho
