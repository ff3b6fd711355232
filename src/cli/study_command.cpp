#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/file.h"
#include "base/home.h"
#include "base/nearest.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/study_check.h"
#include "cli/study_executor.h"
#include "cli/study_plan.h"
#include "experiments/predictions/study_predictors.h"
#include "experiments/study/shipped_studies.h"
#include "experiments/study/study_report.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStudyFooter =
    "A study makes the runs that answer a question and writes an HTML report. After an\n"
    "interruption, the same command continues. Steps that are not possible on this machine are\n"
    "listed in the report. Runs, sweeps and comparisons are in the store, and the report is made\n"
    "from them alone.\n"
    "\n"
    "  tacho study ls\n"
    "  tacho study environments\n"
    "  tacho study recommender --full --dry-run\n"
    "  tacho study recommender --full -o recommender.html\n"
    "  tacho study show environments > mine.yaml; tacho study mine.yaml";

struct StudyOptions {
  std::string name;
  bool quick = false;
  bool full = false;
  bool report_only = false;
  bool again = false;
  bool dry_run = false;
  bool json = false;
  std::string output;
};

struct StudyText {
  std::string file;  // in messages
  std::string text;
};

Error no_such_study(const std::string& name) {
  std::vector<std::string_view> known;
  for (const ShippedStudy& study : shipped_studies()) known.push_back(study.name);
  return {ErrorCode::not_found, unknown_name("study", name, known) + ", or give a .yaml file"};
}

// Finds a shipped study by its name, or reads a file.
Result<StudyText> find_text(const std::string& name) {
  if (const ShippedStudy* shipped = find_shipped_study(name)) {
    return StudyText{fmt::format("studies/{}/study.yaml", name), std::string(shipped->yaml)};
  }
  const bool is_file =
      name.ends_with(".yaml") || name.ends_with(".yml") || name.find('/') != std::string::npos;
  if (!is_file) return no_such_study(name);
  TACHO_TRY(text, read_file(name, Bytes{1 << 20}));
  return StudyText{name, std::move(text)};
}

fs::path folder_of(const fs::path& home, const Study& study) {
  return home / "studies" / fmt::format("{}-{}", study.name, kStudyLevels.of(study.level));
}

std::string resume_command(const StudyOptions& o) {
  return fmt::format("tacho study {}{}", o.name, o.full ? " --full" : "");
}

Result<StudyRow> row_of(const Study& study, const StudyOptions& o, StudyTable table) {
  const std::string level(kStudyLevels.of(study.level));
  TACHO_TRY(newest, table.newest(study.name, level));
  if (newest && !o.again) return *newest;
  if (o.report_only) {
    return Error{ErrorCode::not_found, fmt::format("study {} ({}) was not begun; begin it with: {}",
                                                   study.name, level, resume_command(o))};
  }
  return table.add({.key = new_run_key(),
                    .name = study.name,
                    .level = level,
                    .started = utc_text(std::chrono::system_clock::now())});
}

// Writes HTML, or Markdown with its pictures in the same folder.
Result<void> write_report(const Document& document, const fs::path& file) {
  if (!file.parent_path().empty()) TACHO_CHECK(make_folders(file.parent_path()));
  if (file.extension() != ".md") return write_file_atomically(file, html_of(document));
  const MarkdownPage page = markdown_of(document, file.stem().string());
  for (const auto& [name, svg] : page.pictures) {
    TACHO_CHECK(write_file_atomically(file.parent_path() / name, svg));
  }
  return write_file_atomically(file, page.text);
}

Result<Json> steps_json(const Study& study, const StudyRow& row, StudyTable table) {
  Json steps = Json::array();
  for (const StudyStep& step : study.steps) {
    TACHO_TRY(made, table.step(row.id, step.key));
    Json absent = Json::array();
    Json one{{"name", step.name}, {"state", "waiting"}, {"key", nullptr}};
    if (made) {
      one["state"] = kStudyStepStates.of(made->state);
      if (!made->record_key.empty()) one["key"] = made->record_key;
      for (const AbsentThing& thing : made->absent) {
        absent.push_back({{"what", thing.what}, {"why", thing.why}});
      }
    }
    one["absent"] = std::move(absent);
    steps.push_back(std::move(one));
  }
  return steps;
}

Result<Study> asked_study(const StudyOptions& o) {
  TACHO_TRY(source, find_text(o.name));
  const StudyLevel level = o.full ? StudyLevel::full : StudyLevel::quick;
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(study, read_study(source.text, source.file, level, {{"home", home.string()}}));
  TACHO_CHECK(check_steps(study));
  return std::move(study);
}

Result<int> show_plan(const StudyOptions& o, const Context& context) {
  TACHO_TRY(study, asked_study(o));
  TACHO_TRY(store, context.open_store());
  std::optional<StudyRow> row;
  if (!o.again) {
    TACHO_TRY(newest, store.studies().newest(study.name, kStudyLevels.of(study.level)));
    row = newest;
  }
  TACHO_TRY(steps, planned_steps(study, row, store.studies()));
  context.print(o.json ? json_text(plan_json(study, steps), 1) + "\n"
                       : plan_text(study, steps, context.out));
  return kSuccess;
}

Result<int> make_study(const StudyOptions& o, Context& context) {
  TACHO_TRY(study, asked_study(o));
  TACHO_TRY(stores, open_stores(context));
  const fs::path folder = folder_of(stores.home, study);
  TACHO_CHECK(make_folders(folder));
  bool complete = true;
  std::optional<FileLock> lock;
  if (!o.report_only) {
    auto taken = FileLock::take(folder / "lock", FileLock::Kind::exclusive);
    if (!taken.ok() && taken.error().code == ErrorCode::unavailable) {
      return Error{ErrorCode::usage, fmt::format("another tacho is running study {}", study.name)};
    }
    if (!taken.ok()) return taken.error();
    lock.emplace(*std::move(taken));
  }
  TACHO_TRY(row, row_of(study, o, stores.runs.studies()));
  if (!o.report_only) {
    catch_interrupts();
    outlive_readers();
    StudyExecutor executor(study, stores, context);
    StudyDriver driver(
        study, row.id, stores.runs.studies(), executor, [] { return interrupts() > 0; },
        context.sayer());
    TACHO_TRY(ended, driver.run());
    complete = ended;
  }
  TACHO_TRY(document, study_report(study, row, {stores.runs, stores.sweeps, stores.home},
                                   study_predictors()));
  const fs::path file = o.output.empty() ? folder / "report.html" : fs::path(o.output);
  TACHO_CHECK(write_report(document, file));
  if (o.json) {
    TACHO_TRY(steps, steps_json(study, row, stores.runs.studies()));
    const Json json{{"study", study.name},
                    {"level", kStudyLevels.of(study.level)},
                    {"key", row.key},
                    {"complete", complete},
                    {"steps", std::move(steps)},
                    {"report", file.string()}};
    context.print(json_text(json, 1) + "\n");
  } else {
    context.print(text_of(document, context.out));
    context.print(fmt::format("report: {}\n", file.string()));
  }
  if (!complete) context.warn(fmt::format("interrupted; resume with: {}", resume_command(o)));
  return complete ? kSuccess : kFailure;
}

Result<int> list_studies(bool json, const Context& context) {
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(begun, store.studies().list());
  Json list = Json::array();
  Table table({{"study", Align::left}, {"begun", Align::left}, {"question", Align::left}});
  for (const ShippedStudy& shipped : shipped_studies()) {
    TACHO_TRY(study, read_study(shipped.yaml, shipped.name, StudyLevel::quick));
    Json times = Json::array();
    std::string last;
    for (const StudyRow& row : begun) {
      if (row.name != study.name) continue;
      times.push_back({{"level", row.level}, {"started", row.started}, {"key", row.key}});
      if (last.empty()) last = fmt::format("{} {}", row.started.substr(0, 10), row.level);
    }
    list.push_back({{"name", study.name}, {"title", study.title}, {"begun", std::move(times)}});
    table.add({study.name, last, study.title});
  }
  context.print(json ? json_text(list, 1) + "\n" : table.text(context.out));
  return kSuccess;
}

Result<int> show_study(const std::string& name, const Context& context) {
  const ShippedStudy* study = find_shipped_study(name);
  if (study == nullptr) return no_such_study(name);
  context.print(study->yaml);
  return kSuccess;
}

}  // namespace

void add_study_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("study", "answer a question with runs and a report");
  command->require_subcommand(0, 1);
  command->footer(kStudyFooter);
  auto o = std::make_shared<StudyOptions>();
  command->add_option("study", o->name, "study from 'tacho study ls', or a YAML file");
  auto* quick = command->add_flag(
      "--quick", o->quick, "make the quick version, within five minutes on two cores (default)");
  command->add_flag("--full", o->full, "make the full version")->excludes(quick);
  command->add_flag("--report-only", o->report_only,
                    "run nothing; write the report from stored runs");
  command->add_flag("--again", o->again, "start again instead of continuing");
  command->add_flag("--dry-run,-n", o->dry_run,
                    "list the steps and their runs without running them");
  command->add_option("--output,-o", o->output, "write the report to this .html or .md file")
      ->type_name("FILE");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([command, o, &context] {
    if (!command->get_subcommands().empty()) return;
    context.run([&]() -> Result<int> {
      if (o->name.empty()) {
        return Error{ErrorCode::usage, "no study given; 'tacho study ls' lists them"};
      }
      if (o->again && o->report_only) {
        return Error{ErrorCode::usage, "--again and --report-only exclude each other"};
      }
      return o->dry_run ? show_plan(*o, context) : make_study(*o, context);
    });
  });

  CLI::App* ls = command->add_subcommand("ls", "list studies");
  auto json = std::make_shared<bool>(false);
  ls->add_flag("--json", *json, "print JSON");
  ls->callback([json, &context] { context.run([&] { return list_studies(*json, context); }); });

  CLI::App* show = command->add_subcommand("show", "print the YAML file of a study");
  auto name = std::make_shared<std::string>();
  show->add_option("study", *name, "name of a study")->required();
  show->callback([name, &context] { context.run([&] { return show_study(*name, context); }); });
}

}  // namespace tacho
