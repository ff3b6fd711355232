#include <CLI/CLI.hpp>
#include <memory>

#include "base/home.h"
#include "cli/commands.h"
#include "microbench/memory/comms_view.h"
#include "microbench/memory/memory_view.h"
#include "microbench/memory/survey_store.h"

namespace tacho {
namespace {

using bandwidth::SurveyRecord;

std::string record_text(const SurveyRecord& record, const Terminal& terminal) {
  return std::visit([&](const auto& survey) { return survey_text(survey, terminal); }, record);
}

std::string records_text(const std::vector<SurveyRecord>& records, const Terminal& terminal) {
  std::vector<bandwidth::Survey> memory;
  std::vector<bandwidth::CommsSurvey> comms;
  for (const SurveyRecord& record : records) {
    if (const auto* survey = std::get_if<bandwidth::Survey>(&record)) memory.push_back(*survey);
    if (const auto* survey = std::get_if<bandwidth::CommsSurvey>(&record)) comms.push_back(*survey);
  }
  std::string text;
  if (!memory.empty()) text += surveys_table(memory, terminal);
  if (!memory.empty() && !comms.empty()) text += "\n";
  if (!comms.empty()) text += surveys_table(comms, terminal);
  return text;
}

Result<int> list_records(bool json, const Context& context) {
  TACHO_TRY(home, tacho_home());
  const bandwidth::SurveyStore store(home);
  std::vector<SurveyRecord> all;
  Json list = Json::array();
  for (const std::string& key : store.keys()) {
    auto record = store.read(key);
    if (!record.ok()) {
      context.warn(record.error().message);
      continue;
    }
    list.push_back(summary_of(*record));
    all.push_back(*std::move(record));
  }
  if (json) {
    context.print(json_text(list, 1) + "\n");
  } else if (all.empty()) {
    context.print(
        "nothing was measured yet; start with 'tacho bench memory' or 'tacho bench comms'\n");
  } else {
    context.print(records_text(all, context.out));
  }
  return kSuccess;
}

}  // namespace

void add_bench_records_commands(CLI::App& bench, Context& context) {
  CLI::App* list = bench.add_subcommand("ls", "list measurements of memory and communication");
  auto as_json = std::make_shared<bool>(false);
  list->add_flag("--json", *as_json, "print JSON");
  list->callback(
      [as_json, &context] { context.run([&] { return list_records(*as_json, context); }); });

  CLI::App* again = bench.add_subcommand("show", "show a measurement");
  auto name = std::make_shared<std::string>("last");
  again->add_option("survey", *name, "key of a measurement or its prefix, or 'last'")
      ->capture_default_str();
  again->add_flag("--json", *as_json, "print JSON");
  again->callback([name, as_json, &context] {
    context.run([&]() -> Result<int> {
      TACHO_TRY(home, tacho_home());
      TACHO_TRY(record, bandwidth::SurveyStore(home).find(*name));
      context.print(*as_json ? json_text(to_json(record), 1) + "\n"
                             : record_text(record, context.out));
      return kSuccess;
    });
  });
}

}  // namespace tacho
