#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace tacho {

// For builds without the libraries that prepare datasets.
void add_data_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("data", "prepare datasets (not in this build)");
  command->allow_extras();
  command->callback([&context] {
    context.run([]() -> Result<int> {
      return Error{ErrorCode::unavailable,
                   "built without libarchive and libmatio: datasets cannot be prepared; run "
                   "script/bootstrap and script/build on a machine where they can be installed"};
    });
  });
}

}  // namespace tacho
