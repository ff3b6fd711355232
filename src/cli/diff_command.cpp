#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "experiments/runner/gathered_run.h"
#include "tracing/report/run_diff.h"

namespace tacho {
namespace {

struct DiffOptions {
  std::string before;
  std::string after;
  bool json = false;
};

Result<int> compare(const DiffOptions& o, const Context& context) {
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(before, gather_run(store, o.before, context.sayer()));
  TACHO_TRY(after, gather_run(store, o.after, context.sayer()));
  const RunDiff difference = diff(before.findings, after.findings);
  context.print(o.json ? json_text(diff_json(difference), 1) + "\n"
                       : diff_text(difference, context.out));
  return kSuccess;
}

}  // namespace

void add_diff_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("diff", "compare the kernels and operators of two runs");
  auto options = std::make_shared<DiffOptions>();
  command->add_option("before", options->before, "id or key of a run, or 'last'")->required();
  command->add_option("after", options->after, "id or key of a run, or 'last'")->required();
  command->add_flag("--json", options->json, "print JSON");
  command->callback(
      [options, &context] { context.run([&] { return compare(*options, context); }); });
}

}  // namespace tacho
