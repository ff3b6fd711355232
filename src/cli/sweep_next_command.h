#pragma once

#include <CLI/CLI.hpp>

#include "cli/context.h"

namespace tacho {

// 'tacho sweep next', below 'tacho sweep'.
void add_sweep_next_command(CLI::App& sweep, Context& context);

}  // namespace tacho
