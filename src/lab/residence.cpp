#include "lab/residence.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "base/units.h"
#include "env/stay.h"

namespace tacho {

Result<Residence> Residence::open(const RunOrder& order, RunFolder folder,
                                  std::filesystem::path home) {
  Residence residence(order.environment, order.key, std::move(folder), std::move(home));
  TACHO_TRY(environment, open_environment(order.environment));
  auto facts = environment->describe();
  // All of it is for the user to mend, as a wrong option is.
  if (!facts.ok()) return Error{ErrorCode::usage, facts.error().message};
  if (!residence.is_bare()) {
    if (const auto enter = find_enter_program(); !enter.ok()) return enter.error();
  }
  residence.facts_ = *std::move(facts);
  if (order.environment != EnvironmentSpec{}) residence.environment_ = std::move(environment);
  return residence;
}

Result<void> Residence::clean_up() {
  Result<void> all;
  if (environment_ == nullptr) return all;
  for (const std::string& key : stays_) {
    if (auto cleaned = environment_->clean_up(key); !cleaned.ok() && all.ok()) all = cleaned;
  }
  stays_.clear();
  return all;
}

std::string memory_limit_words(const RunOrder& order) {
  return fmt::format("ran out of the {} of memory it was given",
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

Result<Resident> Resident::start(Residence& residence, const Plan& plan) {
  const std::string suffix = plan.name.empty() ? "" : "." + plan.name;
  const std::string key = residence.key_ + suffix;
  const std::filesystem::path log = residence.folder_.path() / ("stay" + suffix + ".log");
  Command command = plan.command;
  if (!residence.is_bare()) {
    TACHO_TRY(enter, find_enter_program());
    std::error_code absent;
    std::filesystem::remove(log, absent);  // an earlier attempt's
    const std::vector<std::string> before{enter.string(), log.string(), plan.instead};
    command.argv.insert(command.argv.begin(), before.begin(), before.end());
  }
  // By this the next tacho finds what a killed one has left running, daemons as well.
  command.environment[kStayVariable] = key;
  if (residence.environment_ != nullptr) {
    Stay stay{.key = key,
              .run_folder = residence.folder_.path(),
              .home = residence.home_,
              .reads = plan.reads};
    if (!residence.is_bare()) stay.reads.emplace_back(command.argv.front());
    residence.stays_.push_back(key);  // wrap() may make a group already
    TACHO_TRY(wrapped, residence.environment_->wrap(command, stay));
    command = std::move(wrapped);
  }
  command.borrows_memory = !residence.is_bare();  // tacho-enter tells what the program held
  const double began = residence.clock_.now();
  TACHO_TRY(process, Process::start(command));
  return Resident(residence, key, plan.command.argv.front(), log, std::move(process), began,
                  residence.clock_.now());
}

std::vector<pid_t> Resident::first_processes() const {
  if (!enters()) return {process_.pid()};
  if (!read_stay_log(log_).began) return {};
  auto inside = residence_.environment_->members(key_);
  // Without a daemon it is the process that was started, which has become tacho-enter meanwhile.
  if (inside.empty() && !has_daemon(residence_.spec().kind)) inside.push_back(process_.pid());
  return inside;
}

// Not by way of podman's client where that can be helped: it takes a signal for its own, and ends,
// as long as it has not noted that its container runs.
void Resident::signal(int number) const {
  bool heard = false;
  if (enters() && has_daemon(residence_.spec().kind)) {
    for (const pid_t pid : first_processes()) heard = ::kill(pid, number) == 0 || heard;
  }
  if (!heard) process_.signal(number);
}

Ending Resident::ending() const {
  const ExitStatus client = process_.status().value_or(ExitStatus{});
  if (residence_.environment_ == nullptr) return {client, false};
  Ending ending = residence_.environment_->ending(key_, client);
  if (const StayLog log = read_stay_log(log_); enters() && log.end) {
    ending.status = log.end->status;
    ending.out_of_memory = !ending.status.success() &&
                           (ending.out_of_memory || (residence_.spec().memory_bytes.has_value() &&
                                                     log.end->out_of_memory_kills > 0));
  }
  return ending;
}

ChildUsage Resident::usage() const {
  if (!enters()) return process_.usage().value_or(ChildUsage{});
  const StayLog log = read_stay_log(log_);
  return log.end ? log.end->usage : ChildUsage{};
}

StayOver Resident::stay() const {
  const RunClock& clock = residence_.clock();
  const double left = end_->ended_at().value_or(monotonic_seconds_now());
  StayOver over{.began = began_, .left = clock.at(left)};
  if (!enters()) {
    over.entered = up_;
    over.ended = over.left;
    return over;
  }
  const StayLog log = read_stay_log(log_);
  if (log.began) over.entered = clock.at(*log.began);
  if (log.end) over.ended = clock.at(log.end->at);
  return over;
}

std::string Resident::not_started() const {
  if (!enters()) return "";
  const StayLog log = read_stay_log(log_);
  const std::string place = environment_name(residence_.spec());
  if (!log.began) return fmt::format("{} did not start it", residence_.facts().engine);
  if (log.not_started == ENOENT) {
    return fmt::format(
        "'{}' is not in {}; name a program that the image holds, or bind one into "
        "it with --env-bind",
        program_, place);
  }
  if (log.not_started == 0) return "";
  return fmt::format("'{}' cannot be started in {}: {}", program_, place,
                     std::generic_category().message(log.not_started));
}

}  // namespace tacho
