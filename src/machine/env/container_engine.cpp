#include "machine/env/container_engine.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <thread>

#include "base/split.h"
#include "base/terminal.h"
#include "machine/env/container_spec.h"
#include "machine/env/marked_processes.h"

namespace tacho {
namespace {

constexpr std::chrono::seconds kLongestAnswer{60};
constexpr const char* kMarkLabel = "tacho.run";
constexpr std::string_view kNamePrefix = "tacho-";
constexpr int kSignalBase = 128;
constexpr int kRemoveTries = 100;
constexpr std::chrono::milliseconds kBetweenRemoves{50};

std::string container_name(const std::string& key) { return std::string(kNamePrefix) + key; }

std::string mount_option(const Bind& bind) {
  return "--mount=type=bind," + csv_field("source=" + bind.source) + "," +
         csv_field("target=" + bind.target) + (bind.read_only ? ",readonly" : "");
}

std::vector<std::string> limit_options(const EnvironmentSpec& spec) {
  std::vector<std::string> words;
  if (spec.cpus) words.push_back(fmt::format("--cpus={}", *spec.cpus));
  if (!spec.cpuset.empty()) words.push_back("--cpuset-cpus=" + spec.cpuset);
  if (spec.memory_bytes) words.push_back(fmt::format("--memory={}", *spec.memory_bytes));
  words.push_back(spec.shared_memory_bytes ? fmt::format("--shm-size={}", *spec.shared_memory_bytes)
                                           : "--ipc=host");
  words.push_back(fmt::format("--network={}", kNetworkAccesses.of(spec.network)));
  return words;
}

}  // namespace

std::string first_complaint(const std::string& text) {
  std::string line(first_line(text));
  for (const std::string_view opening : {"Error: ", "error: "}) {
    if (line.starts_with(opening)) line.erase(0, opening.size());
  }
  return line.empty() ? "it printed nothing" : printable(line);
}

ExitStatus status_of_program(ExitStatus client) {
  if (client.signal != 0 || client.code <= kSignalBase || client.code > kSignalBase + SIGRTMAX) {
    return client;
  }
  return {0, client.code - kSignalBase};
}

Result<Captured> ContainerEngine::ask(const std::vector<std::string>& words) const {
  Command command{.argv = program()};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  return capture(command, kLongestAnswer);
}

Result<std::string> ContainerEngine::version() const {
  if (!find_program(program().front()).ok()) {
    return Error{ErrorCode::unavailable,
                 fmt::format("{} is not installed; {}", name(), how_to_install())};
  }
  TACHO_CHECK(check_engine());
  TACHO_TRY(answer, ask({"version", "--format", version_format()}));
  if (answer.status.success()) return printable(first_line(answer.out));
  return Error{ErrorCode::failed, fmt::format("{}: {}", name(), first_complaint(answer.err))};
}

std::vector<std::string> ContainerEngine::images() const {
  const auto listed = ask({"images", "--format", "{{.Repository}}:{{.Tag}}"});
  if (!listed.ok() || !listed->status.success()) return {};
  std::vector<std::string> names;
  for (const std::string_view name : lines_of(listed->out)) {
    if (!name.starts_with("<none>")) names.emplace_back(name);
  }
  return names;
}

Result<void> ContainerEngine::check() const {
  if (const auto engine = version(); !engine.ok()) return engine.error();
  TACHO_TRY(found, ask({"image", "inspect", "--format", "{{.Id}}", spec_.image}));
  if (found.status.success()) return {};
  if (found.err.find("o such image") != std::string::npos ||
      found.err.find("image not known") != std::string::npos) {
    return Error{ErrorCode::not_found,
                 fmt::format("{0}: image {1} not found; build it with 'tacho env build {0}', or "
                             "fetch it with '{0} pull {1}'",
                             name(), spec_.image)};
  }
  return Error{ErrorCode::failed,
               fmt::format("{}: image {}: {}", name(), spec_.image, first_complaint(found.err))};
}

Result<EnvironmentFacts> ContainerEngine::describe() const {
  TACHO_CHECK(check());
  TACHO_TRY(engine_version, version());
  TACHO_TRY(image, ask({"image", "inspect", "--format", "{{.Id}}", spec_.image}));
  std::string digest(first_line(image.out));
  if (!digest.starts_with("sha256:")) digest.insert(0, "sha256:");
  return EnvironmentFacts{std::string(name()), engine_version, spec_.image, digest};
}

Result<Command> ContainerEngine::wrap(const Command& command,
                                      const ContainerSpec& container) const {
  TACHO_CHECK(check_key(container.key));
  TACHO_TRY(binds, all_binds(spec_, command, container));
  if (!command.inherited.empty()) {
    return Error{ErrorCode::usage,
                 fmt::format("{}: open files cannot be passed into a container", name())};
  }
  Command wrapped = command;
  wrapped.environment = {};
  wrapped.folder = {};
  auto& words = wrapped.argv = program();
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  // --init: the first process of a container gets only signals for which it has a handler, so that
  // SIGTERM would not end most programs. --pull=never: a download must not be measured.
  add({"run", "--rm", "--init", "--interactive", "--pull=never", "--log-driver=none",
       "--no-healthcheck", "--pids-limit=-1", "--security-opt=label=disable", "--entrypoint="});
  add({"--name=" + container_name(container.key),
       fmt::format("--label={}={}", kMarkLabel, container.key)});
  add(limit_options(spec_));
  add(run_options());
  for (const Bind& bind : binds) words.push_back(mount_option(bind));
  words.push_back("--workdir=" + working_folder(command).string());
  for (const auto& [variable, value] : all_variables(spec_, command, container)) {
    if (is_secret(variable)) {  // without a value, the client passes its own variable on
      words.push_back("--env=" + variable);
      wrapped.environment[variable] = value;
    } else {
      words.push_back(fmt::format("--env={}={}", variable, value));
    }
  }
  words.push_back(spec_.image);
  add(command.argv);
  return wrapped;
}

std::vector<pid_t> ContainerEngine::members(const std::string& key) const {
  // An engine takes about 50 ms of CPU time to answer, while the program is being measured.
  if (auto seen = first_processes_of(key); !seen.empty()) return seen;
  const auto found =
      ask({"container", "inspect", "--format", "{{.State.Pid}}", container_name(key)});
  if (!found.ok() || !found->status.success()) return {};
  pid_t pid = 0;
  std::from_chars(found->out.data(), found->out.data() + found->out.size(), pid);
  if (pid <= 0) return {};  // not started yet, or ended
  return {pid};
}

Ending ContainerEngine::ending(const std::string& /*key*/, ExitStatus client) const {
  const ExitStatus status = status_of_program(client);
  const bool killed_inside = client.signal == 0 && status.signal == SIGKILL;
  return {status, killed_inside && spec_.memory_bytes.has_value()};
}

Result<void> ContainerEngine::clean_up(const std::string& key) const {
  TACHO_CHECK(check_key(key));
  auto words = remove_options();
  words.push_back(container_name(key));
  std::string complaint;
  for (int i = 0; i < kRemoveTries; ++i) {
    TACHO_TRY(removed, ask(words));
    const bool absent = removed.err.find("o such container") != std::string::npos;
    if (removed.status.success() || absent) return {};
    complaint = first_complaint(removed.err);
    // --rm is already removing it.
    if (removed.err.find("in progress") == std::string::npos) break;
    std::this_thread::sleep_for(kBetweenRemoves);
  }
  return Error{ErrorCode::failed,
               fmt::format("{0}: container {1} cannot be removed: {2}; try '{0} rm -f {1}'", name(),
                           container_name(key), complaint)};
}

std::vector<std::string> ContainerEngine::leftovers() const {
  std::vector<std::string> keys;
  if (!find_program(program().front()).ok()) return keys;
  const auto listed =
      ask({"ps", "--all", fmt::format("--filter=label={}", kMarkLabel), "--format", "{{.Names}}"});
  if (!listed.ok() || !listed->status.success()) return keys;
  for (const std::string_view line : lines_of(listed->out)) {
    if (line.starts_with(kNamePrefix)) keys.emplace_back(line.substr(kNamePrefix.size()));
  }
  return keys;
}

}  // namespace tacho
