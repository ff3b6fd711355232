#include <CLI/CLI.hpp>
#include <memory>

#include "advise/ledger_scores.h"
#include "base/home.h"
#include "cli/commands.h"
#include "store/ledger.h"

namespace tacho {
namespace {

Result<int> show_ledger(bool json, const Context& context) {
  TACHO_TRY(home, tacho_home());
  // Settles the runs of killed programs first, so that none stays open for ever.
  const auto store = context.open_store();
  if (!store.ok()) return store.error();
  TACHO_TRY(ledger, Ledger::open(home / "tacho.db"));
  TACHO_CHECK(ledger.settle());
  TACHO_TRY(predictions, ledger.all());
  const auto scores = ledger_scores(predictions);
  if (json) {
    context.print(json_text(to_json(scores), 1) + "\n");
  } else if (scores.empty()) {
    context.print(
        "nothing was foretold yet: 'tacho train' foretells a run once others of its task are "
        "known\n");
  } else {
    context.print(ledger_text(scores, context.out));
  }
  return kSuccess;
}

}  // namespace

void add_ledger_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("ledger", "how good past predictions were");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON");
  command->callback([=, &context] { context.run([&] { return show_ledger(*json, context); }); });
}

}  // namespace tacho
