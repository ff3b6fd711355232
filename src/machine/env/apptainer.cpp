#include "machine/env/apptainer.h"

#include <fmt/format.h>

#include "base/terminal.h"
#include "machine/env/container_engine.h"
#include "machine/env/container_spec.h"
#include "machine/env/image_digest.h"
#include "machine/env/own_images.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::string bind_option(const Bind& bind) {
  return "--mount=type=bind," + csv_field("source=" + bind.source) + "," +
         csv_field("destination=" + bind.target) + (bind.read_only ? ",ro" : "");
}

// The version is the last word of "apptainer version 1.4.2" and "singularity-ce version 4.1.0".
std::string last_word(const std::string& line) {
  const auto space = line.rfind(' ');
  return printable(space == std::string::npos ? line : line.substr(space + 1));
}

}  // namespace

Result<std::string> Apptainer::version() const {
  const std::string program(name());
  if (!find_program(program).ok()) {
    return Error{ErrorCode::unavailable,
                 fmt::format("{} is not installed; install the package of your distribution or of "
                             "the project",
                             program)};
  }
  TACHO_TRY(answer, capture({.argv = {program, "--version"}}, std::chrono::seconds(30)));
  if (answer.status.success()) return last_word(answer.out.substr(0, answer.out.find('\n')));
  return Error{ErrorCode::failed, fmt::format("{}: {}", program, first_complaint(answer.err))};
}

std::vector<std::string> Apptainer::images() const { return own_images(spec().kind); }

Result<fs::path> Apptainer::image_place() const {
  std::error_code problem;
  if (fs::exists(spec().image, problem)) return fs::absolute(spec().image);
  if (auto own = find_own_image(spec().kind, spec().image); !own.empty()) return own;
  return Error{ErrorCode::not_found,
               fmt::format("{0}: image {1} was not found as a file or folder, or among the images "
                           "built by Tacho; build it with 'tacho env build {0}'",
                           name(), spec().image)};
}

Result<void> Apptainer::check() const {
  if (const auto engine = version(); !engine.ok()) return engine.error();
  TACHO_CHECK(check_limits());
  if (const auto place = image_place(); !place.ok()) return place.error();
  return {};
}

Result<EnvironmentFacts> Apptainer::describe() const {
  TACHO_CHECK(check());
  TACHO_TRY(place, image_place());
  TACHO_TRY(digest, image_digest(place));
  TACHO_TRY(engine_version, version());
  return EnvironmentFacts{std::string(name()), engine_version, spec().image, digest};
}

Result<Command> Apptainer::wrap(const Command& command, const ContainerSpec& container) const {
  TACHO_CHECK(check_key(container.key));
  TACHO_CHECK(check());
  TACHO_TRY(image, image_place());
  TACHO_TRY(binds, all_binds(spec(), command, container));
  const bool apptainer = spec().kind == EnvironmentKind::apptainer;
  const std::string prefix = apptainer ? "APPTAINERENV_" : "SINGULARITYENV_";
  Command wrapped = command;
  wrapped.folder = {};
  // Marks the processes of the engine too.
  wrapped.environment = {{kMarkVariable, container.key}};
  for (const auto& [variable, value] : variables(command, container)) {
    wrapped.environment[prefix + variable] = value;
  }
  // --no-eval: otherwise a shell would expand '$' in variables.
  auto& words = wrapped.argv = {std::string(name()), "--silent",   "exec",
                                "--no-eval",         "--cleanenv", "--no-home"};
  if (!spec().gpus.empty()) words.emplace_back("--nv");
  if (spec().network == NetworkAccess::none) {
    words.insert(words.end(), {"--net", "--network=none"});
  }
  for (const Bind& bind : binds) words.push_back(bind_option(bind));
  words.push_back("--pwd=" + working_folder(command).string());
  words.push_back(image.string());
  words.insert(words.end(), command.argv.begin(), command.argv.end());
  return limited(std::move(wrapped), container.key);
}

Ending Apptainer::ending(const std::string& key, ExitStatus client) const {
  Ending ending = LocalEnvironment::ending(key, client);
  ending.status = status_of_program(client);
  return ending;
}

}  // namespace tacho
