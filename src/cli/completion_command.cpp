#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/completion_scripts.h"
#include "cli/completion_words.h"

namespace tacho {

void add_completion_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("completion", "print a script that completes tacho's words");
  auto shell = std::make_shared<std::string>("bash");
  command->add_option("shell", *shell, "bash, zsh or fish")->capture_default_str();
  command->footer(
      "To try it in the shell you are in:\n"
      "  bash   source <(tacho completion bash)\n"
      "  zsh    source <(tacho completion zsh)      after compinit\n"
      "  fish   tacho completion fish | source");
  command->callback([=, &app, &context] {
    context.run([&]() -> Result<int> {
      TACHO_TRY(known, kShells.parse(*shell));
      context.print(completion_script(known, crossings_of(app), option_values()));
      return kSuccess;
    });
  });
}

}  // namespace tacho
