#include "env/bare.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "env/stay.h"

namespace tacho {

// The machine's system: what a container shares with it too.
Result<std::string> Bare::version() const {
  utsname system{};
  if (::uname(&system) != 0) return system_error("uname", errno);
  return std::string(system.sysname) + " " + system.release;
}

Result<void> Bare::check() const {
  TACHO_CHECK(check_limits());
  if (spec().network == NetworkAccess::none) {
    return Error{ErrorCode::usage,
                 "a bare program has the machine's network; leave --env-network none out, or take "
                 "podman, docker or apptainer"};
  }
  for (const Bind& bind : spec().binds) {
    if (bind.source == bind.target && !bind.read_only) continue;
    return Error{
        ErrorCode::usage,
        fmt::format("a bare program sees {0} as it is; leave '--env-bind {0}' out, or take a "
                    "container",
                    bind.source)};
  }
  return {};
}

Result<EnvironmentFacts> Bare::describe() const {
  TACHO_CHECK(check());
  TACHO_TRY(system, version());
  return EnvironmentFacts{"bare", system, "", ""};
}

Result<Command> Bare::wrap(const Command& command, const Stay& stay) const {
  TACHO_CHECK(check_key(stay.key));
  TACHO_CHECK(check());
  Command wrapped = command;
  wrapped.environment = variables(command, stay);
  return limited(std::move(wrapped), stay.key);
}

}  // namespace tacho
