#include <CLI/CLI.hpp>
#include <memory>

#include "base/home.h"
#include "cli/commands.h"
#include "core/store/ledger.h"
#include "predict/rent/ledger_scores.h"

namespace tacho {
namespace {

Result<int> show_ledger(bool json, const Context& context) {
  TACHO_TRY(home, tacho_home());
  // Opening the store records the end of killed runs, so that no prediction stays open.
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
        "nothing was predicted yet; 'tacho train' predicts a run once similar runs are recorded\n");
  } else {
    context.print(ledger_text(scores, context.out));
  }
  return kSuccess;
}

}  // namespace

void add_ledger_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("ledger", "compare past predictions with measurements");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON");
  command->callback([=, &context] { context.run([&] { return show_ledger(*json, context); }); });
}

}  // namespace tacho
