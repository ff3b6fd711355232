#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace tacho {

// 'tacho lab memory', and what shows its surveys again: 'lab ls' and 'lab show'.
void add_lab_memory_commands(CLI::App& lab, Context& context);

}  // namespace tacho
