#include "lab/worker_group.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>

#include "base/confined_file.h"
#include "lab/last_line.h"

namespace tacho {
namespace {

struct Socket {
  UniqueFd fd;
  std::uint16_t port = 0;
};

// Bound before any rank exists, so that no port can be taken in between. Where no descriptor can be
// handed into an environment, the port is only kept: rank 0 listens at it itself, as who says
// SO_REUSEADDR may, while nobody else does.
enum class Use { listen, keep };
Result<Socket> bind_to_loopback(Use use) {
  const auto problem = [] { return system_error("the socket where ranks meet", errno); };
  Socket made{UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  if (!made.fd) return problem();
  const int on = 1;
  if (use == Use::keep) ::setsockopt(made.fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(made.fd.get(), any, size) != 0 ||
      (use == Use::listen && ::listen(made.fd.get(), SOMAXCONN) != 0) ||
      ::getsockname(made.fd.get(), any, &size) != 0) {
    return problem();
  }
  made.port = ntohs(address.sin_port);
  return made;
}

Command command_of(const WorkerGroup::Order& order) {
  Command command{.argv = {order.worker.program, order.verb, order.folder.path().string()},
                  .environment = order.environment,
                  .output_file = order.folder.log(),
                  .own_group = true,
                  .dies_with_parent = true};
  command.environment["TACHO_HOME"] = order.home.string();
  command.environment[kRunClockVariable] = order.residence.clock().text();
  // What it works in is bound into an environment; where tacho was started is nothing to it.
  if (!order.residence.is_bare()) command.folder = order.folder.path();
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
    // What a resumed folder from elsewhere holds under this name may be a pipe.
    TACHO_TRY(made, open_confined(order.folder.path(), log, O_WRONLY | O_CREAT | O_APPEND));
    made.reset();
    Resident::Plan plan{std::move(command), order.worker.instead, order.worker.files};
    plan.reads.insert(plan.reads.end(), order.reads.begin(), order.reads.end());
    if (group.ranked_) plan.name = fmt::format("r{}", rank);
    TACHO_TRY(resident, Resident::start(order.residence, plan));
    group.members_.push_back({rank, log, std::move(resident)});
    return {};
  };
  if (!group.ranked_) TACHO_CHECK(add(0, command_of(order)));

  Socket socket;  // rank 0 alone keeps it: when that dies, nobody seems to listen any more
  const bool hands_on = order.residence.is_bare();
  if (order.launch.binds) {
    TACHO_TRY(made, bind_to_loopback(hands_on ? Use::listen : Use::keep));
    socket = std::move(made);
  }
  if (order.launch.line_mbit) {
    TACHO_TRY(network, StandInNetwork::make(order.launch.nodes(), *order.launch.line_mbit));
    group.network_.emplace(std::move(network));
  }
  for (Place place : order.launch.places) {
    if (socket.fd) place.port = socket.port;
    if (socket.fd && hands_on && place.rank == 0) place.listen_fd = socket.fd.get();
    Command command = command_of(order, place);
    if (group.network_) command = group.network_->on(place.node, std::move(command));
    TACHO_CHECK(add(place.rank, std::move(command)));
  }
  if (!hands_on) group.reserved_ = std::move(socket.fd);
  return group;
}

void WorkerGroup::signal(int number) const {
  for (const Member& member : members_) member.resident.signal(number);
}

void WorkerGroup::pass_on(int interrupts) {
  if (interrupts <= passed_) return;
  signal(interrupts == 1 ? SIGTERM : SIGKILL);
  passed_ = interrupts;
}

std::vector<pid_t> WorkerGroup::first_processes() const {
  std::vector<pid_t> all;
  for (const Member& member : members_) {
    const auto pids = member.resident.first_processes();
    if (pids.empty()) return {};
    all.push_back(pids.front());
  }
  return all;
}

std::vector<ChildUsage> WorkerGroup::usage() const {
  std::vector<ChildUsage> all;
  all.reserve(members_.size());
  for (const Member& member : members_) all.push_back(member.resident.usage());
  return all;
}

bool WorkerGroup::out_of_memory() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.resident.ending().out_of_memory; });
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

// Notes who has ended since the last look. Of several, one that was killed has not ended because
// of the others.
void WorkerGroup::look() {
  std::optional<std::size_t> bad;
  bool over = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (member.status) continue;
    if (!member.resident.wait_for(std::chrono::milliseconds(0))) continue;
    member.status = member.resident.ending().status;
    if (member.rank == 0) over = true;
    if (member.status->success()) continue;
    if (!bad || (members_[*bad].status->signal == 0 && member.status->signal != 0)) bad = i;
  }
  if (bad && !first_bad_) first_bad_ = bad;
  if ((bad || over) && !grace_ends_) grace_ends_ = Clock::now() + patience_.with_the_others;
}

// Ranks that were asked to stop may take their time, to write a checkpoint; who waits for them can
// insist. Answers when to come back.
WorkerGroup::Clock::time_point WorkerGroup::end_the_rest() {
  if (!grace_ends_ || asked_to_stop() || insisted_ == SIGKILL) return Clock::time_point::max();
  if (Clock::now() >= *grace_ends_) {
    signal(insisted_ = insisted_ == 0 ? SIGTERM : SIGKILL);
    *grace_ends_ += patience_.after_asking;
  }
  return *grace_ends_;
}

bool WorkerGroup::wait_for(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  while (true) {
    look();
    if (all_ended()) return true;
    const auto next = std::min(end_the_rest(), deadline);
    const auto now = Clock::now();
    if (now >= deadline) return false;
    std::vector<pollfd> running;
    for (const Member& member : members_) {
      if (!member.status) running.push_back({member.resident.process().handle(), POLLIN, 0});
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::max(next - now, Clock::duration::zero()));
    ::poll(running.data(), running.size(), static_cast<int>(left.count()));
  }
}

const WorkerGroup::Member& WorkerGroup::to_blame() const {
  return members_[first_bad_.value_or(0)];
}

bool WorkerGroup::killed_from_outside() const {
  const ExitStatus status = to_blame().status.value_or(ExitStatus{});
  return status.signal == SIGKILL && !asked_to_stop() && insisted_ != SIGKILL;
}

std::string WorkerGroup::explain() const {
  const Member& member = to_blame();
  const ExitStatus status = member.status.value_or(ExitStatus{});
  std::string reason = member.resident.not_started();
  if (!reason.empty()) {
    // Where an engine failed, its own words follow.
  } else if (!ranked_) {
    reason = "the worker ended without a word: " + describe(status);
  } else if (status.signal != 0) {
    reason = fmt::format("rank {} was {}", member.rank, describe(status));
  } else {
    reason = fmt::format("rank {} ended with {}", member.rank, describe(status));
  }
  if (status.signal == SIGKILL) {
    reason += "; someone killed it, or the system ran out of memory (see 'dmesg')";
  }
  const auto log = read_confined(member.log.parent_path(), member.log.filename());
  if (const std::string said = log.ok() ? last_line(*log) : ""; !said.empty()) {
    reason += "; its last line: " + said;
  }
  return reason;
}

}  // namespace tacho
