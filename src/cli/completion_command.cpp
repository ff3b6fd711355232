#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/completion_scripts.h"
#include "cli/completion_words.h"

namespace tacho {

void add_completion_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("completion", "print a completion script for a shell");
  auto shell = std::make_shared<std::string>("bash");
  command->add_option("shell", *shell, "shell: bash, zsh or fish")->capture_default_str();
  command->footer(
      "To load it into the current shell:\n"
      "  source <(tacho completion bash)  bash\n"
      "  source <(tacho completion zsh)  zsh, after compinit\n"
      "  tacho completion fish | source  fish");
  command->callback([=, &app, &context] {
    context.run([&]() -> Result<int> {
      TACHO_TRY(known, kShells.parse(*shell));
      context.print(completion_script(known, completion_nodes(app), option_values()));
      return kSuccess;
    });
  });
}

}  // namespace tacho
