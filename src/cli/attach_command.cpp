#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/home.h"
#include "base/json_object.h"
#include "cli/commands.h"

namespace tacho {
namespace {

// Continues in a process that is no descendant of the one to measure, which has started this one,
// and that Ctrl-C does not reach. The first process ends.
Result<void> leave_family() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("pipe", errno);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return system_error("a process to record", errno);
  if (child > 0) ::_exit(kSuccess);
  ::setsid();
  writing.reset();
  char none = 0;
  (void)!::read(reading.get(), &none, 1);  // until the first process has ended
  return {};
}

Result<int> attach(int pid, Context& context) {
  TACHO_CHECK(leave_family());
  std::error_code problem;
  const CommandSpec command{.argv = context.behind_dashes,
                            .folder = std::filesystem::current_path(problem).string(),
                            .trace = false};
  TACHO_CHECK(check(command));
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  catch_interrupts();
  outlive_readers();
  const auto started = [&context](std::int64_t id, const RunFolder& folder) {
    context.print(json_text({{"run", id}, {"folder", folder.path().string()}}) + "\n");
    std::fflush(stdout);
  };
  TACHO_CHECK(
      context.runner(store, home)
          .attach(new_order(command), {.pid = pid, .end = STDIN_FILENO, .started = started}));
  return kSuccess;
}

}  // namespace

void add_attach_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("attach", "record a running program, for the Python package");
  auto pid = std::make_shared<int>();
  auto program = std::make_shared<std::vector<std::string>>();
  command->add_option("--pid", *pid, "the process")->required();
  command->add_option("program", *program, "the program and its arguments, after --")->required();
  command->positionals_at_end();
  command->callback([=, &context] {
    (void)program;  // behind_dashes has it unchanged
    context.run([&] { return attach(*pid, context); });
  });
}

}  // namespace tacho
