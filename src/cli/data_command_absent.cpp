#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace tacho {

// For a build on a machine that lacks what datasets are prepared with.
void add_data_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("data", "prepare datasets (not part of this build)");
  command->allow_extras();
  command->callback([&context] {
    context.run([]() -> Result<int> {
      return Error{ErrorCode::unavailable,
                   "this tacho was built without libarchive, libmatio and libmd, which prepare "
                   "datasets; run script/bootstrap and script/build where they can be installed"};
    });
  });
}

}  // namespace tacho
