#pragma once

#include "cli/context.h"
#include "machine/env/image_build.h"

namespace CLI {
class App;
}

namespace tacho {

// Adds `tacho env build`.
void add_env_build_command(CLI::App& env, Context& context);

// Builds an image and shows the progress on standard error.
Result<BuiltImage> build_with_progress(const ImageOrder& order, const Context& context);

}  // namespace tacho
