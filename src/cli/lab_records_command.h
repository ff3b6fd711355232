#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace tacho {

// `tacho lab ls` and `tacho lab show`: surveys of memory and of communication that were made.
void add_lab_records_commands(CLI::App& lab, Context& context);

}  // namespace tacho
