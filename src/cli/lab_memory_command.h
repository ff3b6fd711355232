#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace tacho {

// `tacho lab memory`.
void add_lab_memory_command(CLI::App& lab, Context& context);

}  // namespace tacho
