#include "experiments/runner/run_container.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "base/units.h"
#include "machine/env/container_spec.h"

namespace tacho {

Result<RunContainer> RunContainer::open(const RunOrder& order, RunFolder folder,
                                        std::filesystem::path home) {
  RunContainer container(order.environment, order.key, std::move(folder), std::move(home));
  TACHO_TRY(environment, open_environment(order.environment));
  auto facts = environment->describe();
  // The user can fix all of these, so they are usage errors.
  if (!facts.ok()) return Error{ErrorCode::usage, facts.error().message};
  if (!container.is_bare()) {
    if (const auto enter = find_enter_program(); !enter.ok()) return enter.error();
  }
  container.facts_ = *std::move(facts);
  if (order.environment != EnvironmentSpec{}) container.environment_ = std::move(environment);
  return container;
}

Result<void> RunContainer::clean_up() {
  Result<void> all;
  if (environment_ == nullptr) return all;
  for (const std::string& key : keys_) {
    if (auto cleaned = environment_->clean_up(key); !cleaned.ok() && all.ok()) all = cleaned;
  }
  keys_.clear();
  return all;
}

std::string memory_limit_words(const RunOrder& order) {
  return fmt::format("exceeded its memory limit of {}",
                     human(Bytes{order.environment.memory_bytes.value_or(0)}));
}

void remove_leftovers(const RunOrder& order) {
  const auto environment = open_environment(order.environment);
  if (!environment.ok()) return;
  for (const std::string& key : (*environment)->leftovers()) {
    const bool ours = key == order.key || key.starts_with(order.key + ".");
    if (ours) (void)(*environment)->clean_up(key).ok();
  }
}

Result<ContainerProcess> ContainerProcess::start(RunContainer& container, const Plan& plan) {
  const std::string suffix = plan.name.empty() ? "" : "." + plan.name;
  const std::string key = container.key_ + suffix;
  const std::filesystem::path log = container.folder_.path() / ("entry" + suffix + ".log");
  Command command = plan.command;
  if (!container.is_bare()) {
    TACHO_TRY(enter, find_enter_program());
    std::error_code absent;
    std::filesystem::remove(log, absent);  // of an earlier attempt
    const std::vector<std::string> before{enter.string(), log.string(), plan.instead};
    command.argv.insert(command.argv.begin(), before.begin(), before.end());
  }
  // The next tacho finds processes of a killed one by this variable, including daemons.
  command.environment[kMarkVariable] = key;
  if (container.environment_ != nullptr) {
    ContainerSpec spec{.key = key,
                       .run_folder = container.folder_.path(),
                       .home = container.home_,
                       .reads = plan.reads};
    if (!container.is_bare()) spec.reads.emplace_back(command.argv.front());
    container.keys_.push_back(key);  // before wrap(), which may create a cgroup
    TACHO_TRY(wrapped, container.environment_->wrap(command, spec));
    command = std::move(wrapped);
  }
  command.borrows_memory = !container.is_bare();  // tacho-enter reports the program's memory
  const double began = container.clock_.now();
  TACHO_TRY(process, Process::start(command));
  return ContainerProcess(container, key, plan.command.argv.front(), log, std::move(process), began,
                          container.clock_.now());
}

std::vector<pid_t> ContainerProcess::first_processes() const {
  if (!enters()) return {process_.pid()};
  if (!read_entry_log(log_).began) return {};
  auto inside = container_.environment_->members(key_);
  // Without a daemon it is the started process, which has become tacho-enter by exec.
  if (inside.empty() && !has_daemon(container_.spec().kind)) inside.push_back(process_.pid());
  return inside;
}

// Avoids podman's client: until it knows that its container runs, it exits on a signal instead of
// forwarding it.
void ContainerProcess::signal(int number) const {
  bool sent = false;
  if (enters() && has_daemon(container_.spec().kind)) {
    for (const pid_t pid : first_processes()) sent = ::kill(pid, number) == 0 || sent;
  }
  if (!sent) process_.signal(number);
}

Ending ContainerProcess::ending() const {
  const ExitStatus client = process_.status().value_or(ExitStatus{});
  if (container_.environment_ == nullptr) return {client, false};
  Ending ending = container_.environment_->ending(key_, client);
  if (const EntryLog log = read_entry_log(log_); enters() && log.end) {
    ending.status = log.end->status;
    ending.out_of_memory = !ending.status.success() &&
                           (ending.out_of_memory || (container_.spec().memory_bytes.has_value() &&
                                                     log.end->out_of_memory_kills > 0));
  }
  return ending;
}

ChildUsage ContainerProcess::usage() const {
  if (!enters()) return process_.usage().value_or(ChildUsage{});
  const EntryLog log = read_entry_log(log_);
  return log.end ? log.end->usage : ChildUsage{};
}

EnvironmentExited ContainerProcess::exited() const {
  const RunClock& clock = container_.clock();
  const double left = end_->ended_at().value_or(monotonic_seconds_now());
  EnvironmentExited times{.began = began_, .left = clock.at(left)};
  if (!enters()) {
    times.entered = up_;
    times.ended = times.left;
    return times;
  }
  const EntryLog log = read_entry_log(log_);
  if (log.began) times.entered = clock.at(*log.began);
  if (log.end) times.ended = clock.at(log.end->at);
  return times;
}

std::string ContainerProcess::not_started() const {
  if (!enters()) return "";
  const EntryLog log = read_entry_log(log_);
  const std::string place = environment_name(container_.spec());
  if (!log.began) return fmt::format("{} did not start the program", container_.facts().engine);
  if (log.not_started == ENOENT) {
    return fmt::format(
        "'{}' is not in {}; use a program that is in the image, or bind one with --env-bind",
        program_, place);
  }
  if (log.not_started == 0) return "";
  return fmt::format("'{}' cannot be started in {}: {}", program_, place,
                     std::generic_category().message(log.not_started));
}

}  // namespace tacho
