#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "machine/launch/take_task.h"

namespace tacho {

// Started by schedulers; hidden from help.
void add_take_task_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("take-task", "run a task of a batch, for schedulers");
  command->group("");
  auto folder = std::make_shared<std::string>();
  command->add_option("folder", *folder, "folder of the batch")->required();
  command->callback([=, &context] {
    context.run([&]() -> Result<int> {
      TACHO_TRY(number, task_number_from_environment());
      TACHO_TRY(taken, take_task(*folder, number.index));
      return number.exit_code(taken);
    });
  });
}

}  // namespace tacho
