#include "cli/study_environments.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/home.h"
#include "base/version.h"
#include "cli/env_build_command.h"
#include "machine/env/environment.h"

namespace tacho {
namespace {

// Checks that the image contains the worker of this build.
bool has_our_worker(const RunEnvironment& environment) {
  constexpr std::chrono::seconds kPatience{60};
  const ContainerSpec container{.key = fmt::format("study-{}", ::getpid())};
  const auto inside =
      environment.wrap({.argv = {"tacho-worker", "--version"}, .folder = "/tmp"}, container);
  if (!inside.ok()) return false;
  const auto said = capture(*inside, kPatience);
  const auto cleaned = environment.clean_up(container.key);
  return said.ok() && cleaned.ok() &&
         said->out.find(fmt::format("tacho-worker {} ({})", kVersion, kCommit)) !=
             std::string::npos;
}

Result<void> make_ready(const std::string& name, const std::filesystem::path& home,
                        const Context& context) {
  TACHO_TRY(spec, parse_environment(name));
  if (spec.kind == EnvironmentKind::bare) return {};
  TACHO_TRY(environment, open_environment(spec));
  TACHO_TRY(version, environment->version());
  (void)version;
  auto ready = environment->check();
  // An image of the user's is not rebuilt.
  if (spec.image != kTachoImage) return ready;
  if (ready.ok() && has_our_worker(*environment)) return {};
  context.say(fmt::format("building an image for {}", name));
  TACHO_TRY(built, build_with_progress(
                       {.kind = spec.kind, .home = home, .programs = program_folder()}, context));
  (void)built;
  return environment->check();
}

}  // namespace

Result<EnvironmentsHere> environments_here(const std::vector<std::string>& names,
                                           const std::filesystem::path& home,
                                           const Context& context) {
  EnvironmentsHere here;
  for (const std::string& name : names) {
    const auto ready = make_ready(name, home, context);
    if (interrupts() > 0) return Error{ErrorCode::failed, "interrupted"};
    if (ready.ok()) {
      here.usable.push_back(name);
    } else {
      here.absent.push_back({name, ready.error().message});
    }
  }
  return here;
}

}  // namespace tacho
