#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace tacho {

// `tacho env build`, as a subcommand of `env`.
void add_env_build_command(CLI::App& env, Context& context);

}  // namespace tacho
