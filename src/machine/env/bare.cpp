#include "machine/env/bare.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "machine/env/container_spec.h"

namespace tacho {

// Returns the kernel, which containers share.
Result<std::string> Bare::version() const {
  utsname system{};
  if (::uname(&system) != 0) return system_error("uname", errno);
  return std::string(system.sysname) + " " + system.release;
}

Result<void> Bare::check() const {
  TACHO_CHECK(check_limits());
  if (spec().network == NetworkAccess::none) {
    return Error{ErrorCode::usage,
                 "a bare program uses the machine's network; leave --env-network none out, or use "
                 "podman, docker or apptainer"};
  }
  for (const Bind& bind : spec().binds) {
    if (bind.source == bind.target && !bind.read_only) continue;
    return Error{
        ErrorCode::usage,
        fmt::format("a bare program cannot have binds; leave '--env-bind {0}' out, or use a "
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

Result<Command> Bare::wrap(const Command& command, const ContainerSpec& container) const {
  TACHO_CHECK(check_key(container.key));
  TACHO_CHECK(check());
  Command wrapped = command;
  wrapped.environment = variables(command, container);
  return limited(std::move(wrapped), container.key);
}

}  // namespace tacho
