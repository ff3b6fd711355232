#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "launch/take_task.h"

namespace tacho {

// For a scheduler to call, not for people: it stands in no help.
void add_take_task_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("take-task", "runs a task of a batch, as a scheduler asks");
  command->group("");
  auto folder = std::make_shared<std::string>();
  command->add_option("folder", *folder, "the batch's")->required();
  command->callback([=, &context] {
    context.run([&]() -> Result<int> {
      TACHO_TRY(number, task_number_from_environment());
      TACHO_TRY(code, take_task(*folder, number.index));
      return number.only_success_counts ? kSuccess : code;
    });
  });
}

}  // namespace tacho
