#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "experiments/runner/figure_log.h"
#include "experiments/runner/run_start.h"
#include "experiments/runner/run_state.h"
#include "experiments/runner/runner.h"
#include "machine/probe/usage_sampler.h"

namespace tacho {
namespace {

// Reads the line with the end of the run. Returns nothing at the end of the pipe.
std::optional<RunEnded> read_end(int pipe) {
  std::array<char, 4096> line{};  // fits into a pipe at once
  const ssize_t got = ::read(pipe, line.data(), line.size());
  if (got <= 0) return std::nullopt;
  const auto event = event_from_line({line.data(), static_cast<std::size_t>(got)});
  const auto* ended = event.ok() ? std::get_if<RunEnded>(&event->body) : nullptr;
  return ended != nullptr ? std::optional(*ended) : std::nullopt;
}

}  // namespace

Result<FinishedRun> Runner::attach(const RunOrder& order, const AttachPlan& plan) {
  constexpr int kLookMs = 100;
  const RunClock clock;
  const double began = clock.now();
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, plan.pid, 0)));
  if (!process) return system_error(fmt::format("process {}", plan.pid), errno);
  TACHO_TRY(begun, begin(order));
  TACHO_TRY(log, FigureLog::open(begun.folder, clock));
  log.write(start_of_run());
  const auto sampler = UsageSampler::start({.pids = {plan.pid}, .file = begun.folder.usage()});
  plan.started(begun.id, begun.folder);

  std::array<pollfd, 2> waited{pollfd{process.get(), POLLIN, 0}, pollfd{plan.end, POLLIN, 0}};
  int forwarded = 0;
  std::optional<RunEnded> end;
  bool over = false;
  while (!over && !end) {
    if (::poll(waited.data(), waited.size(), kLookMs) > 0) {
      over = waited[0].revents != 0;
      if (waited[1].revents != 0 && !(end = read_end(plan.end))) waited[1].fd = -1;
    }
    for (; forwarded < interrupts_; ++forwarded) {
      (void)::syscall(SYS_pidfd_send_signal, process.get(), SIGINT, nullptr, 0);
    }
    log.look(Seconds(clock.now() - began));
  }
  sampler->look();
  sampler->stop();
  log.finish();
  RunEnded ended = end.value_or(
      RunEnded{.outcome = Outcome::failed, .reason = "it ended without tacho.finish(): killed?"});
  ended.wall_seconds = clock.now() - began;
  log.write(ended);
  TACHO_TRY(record, close_run(begun.folder, ended.outcome, ended.reason));
  TACHO_TRY(id, keep(record, begun.folder));
  return FinishedRun{id, std::move(record)};
}

}  // namespace tacho
