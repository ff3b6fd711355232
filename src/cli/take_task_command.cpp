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
  auto any = std::make_shared<bool>(false);
  command->add_flag("--any", *any, "take the next task instead of the one in the environment");
  command->callback([=, &context] {
    context.run([&]() -> Result<int> {
      if (*any) {
        TACHO_TRY(taken, take_any_task(*folder));
        return TaskNumber{.only_success_counts = true}.exit_code(taken);
      }
      TACHO_TRY(number, task_number_from_environment());
      TACHO_TRY(taken, take_task(*folder, number.index));
      return number.exit_code(taken);
    });
  });
}

}  // namespace tacho
