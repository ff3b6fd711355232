#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/table.h"
#include "cli/commands.h"
#include "cli/env_build_command.h"
#include "machine/env/environment.h"

namespace tacho {
namespace {

std::string in_one_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return printable(text);
}

std::string for_people(const std::vector<EngineFound>& engines, const Terminal& terminal) {
  Table table({{"environment", Align::left}, {"version", Align::left}, {"images", Align::left}});
  std::string missing;
  for (const EngineFound& engine : engines) {
    const std::string name(kEnvironmentKinds.of(engine.kind));
    if (engine.problem.empty()) {
      table.add({name, engine.version, in_one_line(engine.images)});
    } else {
      missing += fmt::format("  {}\n", printable(engine.problem));
    }
  }
  std::string text = table.text(terminal);
  if (!missing.empty()) text += "\n" + terminal.bold("not available here") + "\n" + missing;
  return text;
}

Json to_json(const std::vector<EngineFound>& engines) {
  Json list = Json::array();
  for (const EngineFound& engine : engines) {
    list.push_back({{"environment", kEnvironmentKinds.of(engine.kind)},
                    {"available", engine.problem.empty()},
                    {"version", engine.version},
                    {"problem", engine.problem},
                    {"images", engine.images}});
  }
  return list;
}

Result<int> list_engines(bool json, const Context& context) {
  const auto engines = survey_engines();
  context.print(json ? json_text(to_json(engines), 1) + "\n" : for_people(engines, context.out));
  return kSuccess;
}

}  // namespace

void add_env_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("env", "list environments and build container images");
  command->require_subcommand(1);
  CLI::App* ls = command->add_subcommand("ls", "list environments, and why some are not available");
  auto json = std::make_shared<bool>(false);
  ls->add_flag("--json", *json, "print JSON");
  ls->callback([=, &context] { context.run([&] { return list_engines(*json, context); }); });
  add_env_build_command(*command, context);
}

}  // namespace tacho
