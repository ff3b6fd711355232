#include "experiments/runner/simulated_network.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace tacho {
namespace {

Error cannot_simulate(const std::string& why) {
  return {ErrorCode::unavailable, "cannot simulate machines by network namespaces: " + why +
                                      "; this needs root and iproute2 (apt-get install iproute2)"};
}

// A namespace exists as long as a descriptor of it. A temporary thread makes it, so that this
// thread stays in its namespace.
Result<UniqueFd> new_namespace() {
  UniqueFd made;
  int problem = 0;
  std::thread([&] {
    if (::unshare(CLONE_NEWNET) != 0) {
      problem = errno;
      return;
    }
    made = UniqueFd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!made) problem = errno;
  }).join();
  if (problem != 0) return cannot_simulate(system_error("unshare", problem).message);
  return made;
}

std::string path_of(const UniqueFd& space) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), space.get());
}

std::vector<std::string> enter_command(const UniqueFd& space) {
  return {"nsenter", "--net=" + path_of(space), "--"};
}

Result<void> configure(const UniqueFd& space, std::vector<std::string> words) {
  constexpr std::chrono::seconds kPatience{10};
  const std::string program = words.front();
  Command command{.argv = enter_command(space)};
  std::ranges::move(words, std::back_inserter(command.argv));
  const auto output = capture(command, kPatience);
  if (!output.ok()) return cannot_simulate(output.error().message);
  if (output->status.success()) return {};
  const std::string reason = output->err.substr(0, output->err.find('\n'));
  return cannot_simulate(fmt::format("{}: {}", program, reason.empty() ? "failed" : reason));
}

// Returns the burst size of the link in bytes. A burst smaller than a few timer ticks of data would
// limit the rate.
std::string burst_of(double mbit) {
  constexpr double kSeconds = 0.002;
  constexpr double kLeast = 64 * 1024;
  return fmt::format("{:.0f}", std::max(kLeast, kSeconds * mbit * 1e6 / 8));
}

}  // namespace

std::string SimulatedNetwork::address(int machine) {
  return fmt::format("10.231.0.{}", machine + 1);
}

Result<SimulatedNetwork> SimulatedNetwork::make(int machines, double line_mbit) {
  TACHO_TRY(bridge, new_namespace());
  SimulatedNetwork network(std::move(bridge));
  TACHO_CHECK(configure(network.bridge_, {"ip", "link", "add", "bridge", "type", "bridge"}));
  TACHO_CHECK(configure(network.bridge_, {"ip", "link", "set", "bridge", "up"}));
  for (int i = 0; i < machines; ++i) TACHO_CHECK(network.add_machine(line_mbit));
  return network;
}

Result<void> SimulatedNetwork::add_machine(double line_mbit) {
  const auto number = static_cast<int>(machines_.size());
  TACHO_TRY(space, new_namespace());
  const std::string port = fmt::format("port{}", number);
  const std::string rate = fmt::format("{:.0f}kbit", 1000 * line_mbit);
  TACHO_CHECK(configure(space, {"ip", "link", "add", "line", "type", "veth", "peer", "name", port,
                                "netns", path_of(bridge_)}));
  TACHO_CHECK(configure(bridge_, {"ip", "link", "set", port, "master", "bridge", "up"}));
  TACHO_CHECK(configure(space, {"ip", "addr", "add", address(number) + "/24", "dev", "line"}));
  TACHO_CHECK(configure(space, {"ip", "link", "set", "lo", "up"}));
  TACHO_CHECK(configure(space, {"ip", "link", "set", "line", "up"}));
  TACHO_CHECK(configure(space, {"tc", "qdisc", "add", "dev", "line", "root", "tbf", "rate", rate,
                                "burst", burst_of(line_mbit), "latency", "50ms"}));
  machines_.push_back(std::move(space));
  return {};
}

Command SimulatedNetwork::on(int machine, Command command) const {
  auto words = enter_command(machines_.at(static_cast<std::size_t>(machine)));
  command.argv.insert(command.argv.begin(), words.begin(), words.end());
  return command;
}

}  // namespace tacho
