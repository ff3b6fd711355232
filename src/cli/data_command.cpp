#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/home.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/dataset_list.h"
#include "cli/progress_line.h"
#include "data/catalog.h"
#include "data/fetch/get.h"
#include "data/fetch/prepare.h"
#include "data/fetch/verify.h"
#include "data/locate.h"

namespace tacho {
namespace {

struct DataOptions {
  std::string name;
  std::string from;
  bool subset = false;
  bool json = false;
};

// Tells on standard error how far it has come, and stops it after the file under way at Ctrl-C.
class Onlooker {
 public:
  explicit Onlooker(const Context& context) : context_(context), line_(context.err) {}

  Say say() {
    return [this](std::string_view text) {
      line_.clear();
      context_.say(text);
    };
  }
  Watch watch() {
    return {.progress = [this](const Progress& now) { line_.show(now); },
            .stopped = [] { return interrupts() > 0; }};
  }

 private:
  const Context& context_;
  ProgressLine line_;
};

std::string class_count(const DatasetInfo& dataset) {
  return dataset.classes > 0 ? std::to_string(dataset.classes) : "any";
}

Result<int> list_datasets(bool json, const Context& context) {
  TACHO_TRY(home, tacho_home());
  Table table({{"dataset", Align::left},
               {"input", Align::left},
               {"classes"},
               {"where, or how to get it", Align::left}});
  Json list = Json::array();
  std::string needs;
  for (const DatasetInfo& dataset : dataset_catalog()) {
    const auto folder = locate(dataset, home, "");
    const std::string place = folder.ok() ? folder->string() : command_to_get(dataset);
    table.add({std::string(dataset.name), std::string(kInputKinds.of(dataset.input)),
               class_count(dataset), place});
    if (!folder.ok() && !dataset.needs.empty()) {
      needs += fmt::format("{} needs {}\n", dataset.name, dataset.needs);
    }
    list.push_back({{"name", dataset.name},
                    {"help", dataset.help},
                    {"input", kInputKinds.of(dataset.input)},
                    {"classes", dataset.classes},
                    {"folder", folder.ok() ? Json(folder->string()) : Json(nullptr)},
                    {"how_to_get", how_to_get(dataset)}});
  }
  if (!needs.empty()) needs.insert(0, "\n");
  context.print(json ? json_text(list, 1) + "\n" : table.text(context.out) + needs);
  return kSuccess;
}

Result<std::filesystem::path> make(const DatasetInfo& dataset, const DataOptions& o,
                                   const Context& context) {
  TACHO_TRY(home, tacho_home());
  Onlooker onlooker(context);
  if (o.from.empty()) return get(dataset, home, onlooker.say());
  const bool unpacks_images =
      dataset.packing == Packing::imagenet || dataset.packing == Packing::tiny_imagenet;
  if (o.subset && !unpacks_images) {
    return Error{ErrorCode::usage, "--subset belongs to imagenet and tiny-imagenet"};
  }
  // Hours of work are not thrown away by Ctrl-C; copying a few files may be.
  if (unpacks_images) catch_interrupts();
  return prepare(o.subset ? subset_of(dataset) : dataset, o.from, home, onlooker.say(),
                 onlooker.watch());
}

Result<int> get_dataset(const DataOptions& o, const Context& context) {
  TACHO_TRY(dataset, find_dataset(o.name));
  TACHO_TRY(folder, make(*dataset, o, context));
  const bool in_place = dataset->packing == Packing::in_place;
  context.print(fmt::format("{} is ready in {}{}\n", dataset->name, folder.string(),
                            in_place ? "; train on it with --data-dir" : ""));
  return kSuccess;
}

Result<int> verify_dataset(const DataOptions& o, const Context& context) {
  TACHO_TRY(dataset, find_dataset(o.name));
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(folder, locate(*dataset, home, o.from));
  std::vector<FileReport> reports;
  {
    Onlooker onlooker(context);  // gone, and its line with it, before the table is printed
    reports = verify(*dataset, folder, onlooker.say(), onlooker.watch());
  }
  Table table({{"file", Align::left}, {"state", Align::left}, {"problem", Align::left}});
  Json list = Json::array();
  for (const FileReport& report : reports) {
    const std::string state(kFileStates.of(report.state));
    table.add({std::string(report.name), state, report.problem});
    list.push_back({{"file", report.name}, {"state", state}, {"problem", report.problem}});
  }
  context.print(o.json ? json_text(list, 1) + "\n" : table.text(context.out));
  TACHO_CHECK(check(reports));
  return kSuccess;
}

}  // namespace

void add_data_command(CLI::App& app, Context& context) {
  CLI::App* data = app.add_subcommand("data", "get, prepare and verify datasets");
  data->require_subcommand(1);
  const std::string known = "a name from below";

  auto list_json = std::make_shared<bool>(false);
  CLI::App* ls = data->add_subcommand("ls", "which datasets there are, and where");
  ls->add_flag("--json", *list_json, "as JSON");
  ls->callback([=, &context] { context.run([&] { return list_datasets(*list_json, context); }); });

  auto got = std::make_shared<DataOptions>();
  CLI::App* get = data->add_subcommand("get", "fetch a dataset");
  get->footer(dataset_list());
  get->add_option("name", got->name, known)->required();
  get->add_option("--from", got->from, "a folder that has the files");
  get->callback([=, &context] { context.run([&] { return get_dataset(*got, context); }); });

  auto prepared = std::make_shared<DataOptions>();
  CLI::App* prepare = data->add_subcommand("prepare", "make a dataset from its published files");
  prepare->footer(dataset_list());
  prepare->add_option("name", prepared->name, known)->required();
  prepare->add_option("--from", prepared->from, "the published archive, or the folder of files")
      ->required();
  prepare->add_flag("--subset", prepared->subset,
                    "imagenet, tiny-imagenet: fewer classes or images than published");
  prepare->callback(
      [=, &context] { context.run([&] { return get_dataset(*prepared, context); }); });

  auto verified = std::make_shared<DataOptions>();
  CLI::App* verify =
      data->add_subcommand("verify", "check counts, sizes, checksums and magic numbers");
  verify->footer(dataset_list());
  verify->add_option("name", verified->name, known)->required();
  verify->add_option("--from", verified->from, "another folder than the dataset's own");
  verify->add_flag("--json", verified->json, "as JSON");
  verify->callback(
      [=, &context] { context.run([&] { return verify_dataset(*verified, context); }); });
}

}  // namespace tacho
