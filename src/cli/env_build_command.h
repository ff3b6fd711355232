#pragma once

#include "cli/context.h"
#include "env/image_build.h"

namespace CLI {
class App;
}

namespace tacho {

// `tacho env build`, as a subcommand of `env`.
void add_env_build_command(CLI::App& env, Context& context);

// What it does, shown on standard error meanwhile.
Result<BuiltImage> build_with_progress(const ImageOrder& order, const Context& context);

}  // namespace tacho
