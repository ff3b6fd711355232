#include <CLI/CLI.hpp>
#include <memory>

#include "base/file.h"
#include "cli/commands.h"
#include "experiments/runner/gathered_run.h"
#include "tracing/report/html_report.h"
#include "tracing/report/json_report.h"
#include "tracing/report/text_report.h"
#include "tracing/report/timeline_file.h"

namespace tacho {
namespace {

struct ReportOptions {
  std::string run;
  std::string html;
  std::string trace;
  bool json = false;
};

Result<int> report(const ReportOptions& o, const Context& context) {
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(run, gather_run(store, o.run, context.sayer()));
  if (!o.html.empty()) {
    TACHO_CHECK(write_file_atomically(o.html, html_report(run.findings)));
    context.say("wrote " + o.html);
  }
  if (!o.trace.empty()) {
    Waiting waiting(context.sayer());
    TACHO_TRY(drawn, write_run_timeline(run.folder, o.trace,
                                        [&](std::string_view what) { waiting.tell(what); }));
    if (!drawn.cut.empty()) context.warn(drawn.cut);
    context.say("wrote " + o.trace + "; open it with ui.perfetto.dev or chrome://tracing");
  }
  if (o.json) {
    context.print(json_text(json_report(run.findings), 1) + "\n");
  } else if (o.html.empty() && o.trace.empty()) {
    context.print(text_report(run.findings, context.out));
  }
  return kSuccess;
}

}  // namespace

void add_report_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("report", "explain where a run's time went and what to change");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("run", options->run, "id or key of a run, or 'last'")->required();
  command->add_flag("--json", options->json, "print JSON");
  command->add_option("--html", options->html, "write an HTML page to this file")
      ->type_name("FILE");
  command
      ->add_option("--trace", options->trace,
                   "write the GPU timeline to this file, for Perfetto or chrome://tracing")
      ->type_name("FILE");
  command->callback(
      [options, &context] { context.run([&] { return report(*options, context); }); });
}

}  // namespace tacho
