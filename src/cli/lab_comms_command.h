#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace tacho {

// `tacho lab comms`.
void add_lab_comms_command(CLI::App& lab, Context& context);

}  // namespace tacho
