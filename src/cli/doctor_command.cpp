#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/home.h"
#include "cli/commands.h"
#include "experiments/runner/doctor.h"

namespace tacho {
namespace {

std::string mark(Health health, const Terminal& terminal) {
  switch (health) {
    case Health::good:
      return terminal.green("ok      ");
    case Health::missing:
      return terminal.dim("missing ");
    case Health::trouble:
      break;
  }
  return terminal.red("trouble ");
}

std::string for_people(const std::vector<HealthFinding>& findings, const Terminal& terminal) {
  std::string out;
  std::string area;
  for (const HealthFinding& finding : findings) {
    if (finding.area != area) {
      area = finding.area;
      out += (out.empty() ? "" : "\n") + terminal.bold(area) + "\n";
    }
    out += fmt::format("  {} {:<14} {}\n", mark(finding.health, terminal), finding.name,
                       printable(finding.text));
    if (!finding.fix.empty()) out += fmt::format("{:26}{}\n", "", terminal.dim(finding.fix));
  }
  return out;
}

Result<int> doctor(bool json, const Context& context) {
  TACHO_TRY(home, tacho_home());
  context.say("checking this machine; starting PyTorch takes a few seconds");
  const auto findings = examine(home);
  context.print(json ? json_text(to_json(findings), 1) + "\n" : for_people(findings, context.out));
  const bool trouble = std::any_of(findings.begin(), findings.end(), [](const HealthFinding& f) {
    return f.health == Health::trouble && (f.area == "torch" || f.area == "machine");
  });
  return trouble ? kFailure : kSuccess;
}

}  // namespace

void add_doctor_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("doctor", "check this machine and show what is missing");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON");
  command->callback([=, &context] { context.run([&] { return doctor(*json, context); }); });
}

}  // namespace tacho
