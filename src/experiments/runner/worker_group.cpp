#include "experiments/runner/worker_group.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>

#include "base/confined_file.h"
#include "experiments/runner/last_line.h"
#include "machine/comm/bound_port.h"

namespace tacho {
namespace {

Command command_of(const WorkerGroup::Order& order) {
  Command command{.argv = {order.worker.program, order.verb, order.folder.path().string()},
                  .environment = order.environment,
                  .output_file = order.folder.log(),
                  .own_group = true,
                  .dies_with_parent = true};
  command.environment["TACHO_HOME"] = order.home.string();
  command.environment[kRunClockVariable] = order.container.clock().text();
  // An environment contains the run's folder but not necessarily the current folder.
  if (!order.container.is_bare()) command.folder = order.folder.path();
  return command;
}

Command command_of(const WorkerGroup::Order& order, const Place& place) {
  Command command = command_of(order);
  for (auto& [name, value] : environment_of(place)) command.environment[name] = value;
  command.output_file = order.folder.rank_log(place.rank);
  if (place.listen_fd) command.inherited = {*place.listen_fd};
  return command;
}

}  // namespace

WorkerGroup::Patience WorkerGroup::patience_of(const DistSpec& dist) {
  const std::chrono::duration<double> longest(dist.timeout_s + 5);
  return {.with_the_others = std::chrono::ceil<std::chrono::milliseconds>(longest)};
}

Result<WorkerGroup> WorkerGroup::start(const Order& order) {
  WorkerGroup group(!order.launch.places.empty(), order.patience);
  const auto add = [&](int rank, Command command) -> Result<void> {
    const std::filesystem::path log = *command.output_file;
    // In a copied folder that is resumed, this name may be a pipe.
    TACHO_TRY(made, open_confined(order.folder.path(), log, O_WRONLY | O_CREAT | O_APPEND));
    made.reset();
    ContainerProcess::Plan plan{std::move(command), order.worker.instead, order.worker.files};
    plan.reads.insert(plan.reads.end(), order.reads.begin(), order.reads.end());
    if (group.ranked_) plan.name = fmt::format("r{}", rank);
    TACHO_TRY(process, ContainerProcess::start(order.container, plan));
    group.members_.push_back({rank, log, std::move(process)});
    return {};
  };
  if (!group.ranked_) TACHO_CHECK(add(0, command_of(order)));

  BoundPort port;  // only rank 0 inherits its socket, so that it closes when rank 0 dies
  std::string host;
  const bool inherits = order.container.is_bare();
  if (order.launch.binds) {
    const auto& file = order.launch.file;
    TACHO_TRY(bound, bind_port(file ? Reach::every_machine : Reach::this_machine,
                               inherits ? PortUse::listen : PortUse::reserve));
    port = std::move(bound);
    host = file ? own_address() : order.launch.places.front().host;
    if (file) {
      const Place& first = order.launch.places.front();
      TACHO_TRY(made, Announcement::make(*file, {host, port.number},
                                         order.launch.secret_in_file ? first.secret : ""));
      group.announcement_.emplace(std::move(made));
    }
  }
  if (order.launch.line_mbit) {
    TACHO_TRY(network, SimulatedNetwork::make(order.launch.nodes(), *order.launch.line_mbit));
    group.network_.emplace(std::move(network));
  }
  for (Place place : order.launch.places) {
    if (port.socket) {
      place.host = host;
      place.port = port.number;
      if (inherits && place.rank == 0) place.listen_fd = port.socket.get();
    }
    Command command = command_of(order, place);
    if (group.network_) command = group.network_->on(place.node, std::move(command));
    TACHO_CHECK(add(place.rank, std::move(command)));
  }
  if (!inherits) group.reserved_ = std::move(port.socket);
  return group;
}

void WorkerGroup::signal(int number) const {
  for (const Member& member : members_) member.process.signal(number);
}

void WorkerGroup::forward_interrupts(int interrupts) {
  if (interrupts <= forwarded_) return;
  signal(interrupts == 1 ? SIGTERM : SIGKILL);
  forwarded_ = interrupts;
}

std::vector<pid_t> WorkerGroup::first_processes() const {
  std::vector<pid_t> all;
  for (const Member& member : members_) {
    const auto pids = member.process.first_processes();
    if (pids.empty()) return {};
    all.push_back(pids.front());
  }
  return all;
}

std::vector<ChildUsage> WorkerGroup::usage() const {
  std::vector<ChildUsage> all;
  all.reserve(members_.size());
  for (const Member& member : members_) all.push_back(member.process.usage());
  return all;
}

bool WorkerGroup::out_of_memory() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.process.ending().out_of_memory; });
}

bool WorkerGroup::all_ended() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.status.has_value(); });
}

bool WorkerGroup::success() const {
  return std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.status && member.status->success();
  });
}

// Collects the workers that have ended since the last call. Of several failures, one by a signal is
// the cause rather than a consequence.
void WorkerGroup::collect_ended() {
  std::optional<std::size_t> bad;
  bool over = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (member.status) continue;
    if (!member.process.wait_for(std::chrono::milliseconds(0))) continue;
    member.status = member.process.ending().status;
    if (member.rank == 0) over = true;
    if (member.status->success()) continue;
    if (!bad || (members_[*bad].status->signal == 0 && member.status->signal != 0)) bad = i;
  }
  if (bad && !first_bad_) first_bad_ = bad;
  if ((bad || over) && !grace_ends_) grace_ends_ = Clock::now() + patience_.with_the_others;
}

// Ends the remaining ranks after the grace period. Ranks that the user stopped may take longer, to
// write a checkpoint. Returns the time of the next call.
WorkerGroup::Clock::time_point WorkerGroup::end_the_rest() {
  if (!grace_ends_ || stop_requested() || last_signal_ == SIGKILL) return Clock::time_point::max();
  if (Clock::now() >= *grace_ends_) {
    signal(last_signal_ = last_signal_ == 0 ? SIGTERM : SIGKILL);
    *grace_ends_ += patience_.after_sigterm;
  }
  return *grace_ends_;
}

bool WorkerGroup::wait_for(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  while (true) {
    collect_ended();
    if (all_ended()) return true;
    const auto next = std::min(end_the_rest(), deadline);
    const auto now = Clock::now();
    if (now >= deadline) return false;
    std::vector<pollfd> running;
    for (const Member& member : members_) {
      if (!member.status) running.push_back({member.process.process().handle(), POLLIN, 0});
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::max(next - now, Clock::duration::zero()));
    ::poll(running.data(), running.size(), static_cast<int>(left.count()));
  }
}

const WorkerGroup::Member& WorkerGroup::first_failed() const {
  return members_[first_bad_.value_or(0)];
}

bool WorkerGroup::killed_from_outside() const {
  const ExitStatus status = first_failed().status.value_or(ExitStatus{});
  return status.signal == SIGKILL && !stop_requested() && last_signal_ != SIGKILL;
}

std::string WorkerGroup::explain() const {
  const Member& member = first_failed();
  const ExitStatus status = member.status.value_or(ExitStatus{});
  std::string reason = member.process.not_started();
  if (!reason.empty()) {
    // The output of the engine follows.
  } else if (!ranked_) {
    reason = "the worker ended unexpectedly: " + describe(status);
  } else if (status.signal != 0) {
    reason = fmt::format("rank {} was {}", member.rank, describe(status));
  } else {
    reason = fmt::format("rank {} ended with {}", member.rank, describe(status));
  }
  if (status.signal == SIGKILL) {
    reason += "; by a user, or because the system ran out of memory (see 'dmesg')";
  }
  const auto log = read_confined(member.log.parent_path(), member.log.filename());
  if (const std::string line = log.ok() ? last_line(*log) : ""; !line.empty()) {
    reason += "; its last line: " + line;
  }
  return reason;
}

}  // namespace tacho
