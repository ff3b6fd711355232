#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/home.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/dataset_list.h"
#include "cli/progress_line.h"
#include "training/data/catalog.h"
#include "training/data/fetch/class_table.h"
#include "training/data/fetch/get.h"
#include "training/data/fetch/prepare.h"
#include "training/data/fetch/verify.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

struct DataOptions {
  std::string name;
  std::string from;
  bool subset = false;
  bool json = false;
};

// Prints progress to standard error, and stops after the current file on Ctrl-C.
class Observer {
 public:
  explicit Observer(const Context& context) : context_(context), line_(context.err) {}

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
               {"folder, or how to get it", Align::left}});
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
  Observer observer(context);
  const bool unpacks_images = dataset.packing == Packing::imagenet ||
                              dataset.packing == Packing::tiny_imagenet ||
                              dataset.packing == Packing::small_images;
  if (o.subset && !unpacks_images && dataset.packing != Packing::reviews) {
    return Error{ErrorCode::usage,
                 "--subset is for imagenet, tiny-imagenet, cifar10, cifar100 and imdb"};
  }
  // Downloads and images may take hours: Ctrl-C leaves nothing incomplete.
  if (o.from.empty() || unpacks_images) catch_interrupts();
  if (o.from.empty()) return get(dataset, home, observer.say(), observer.watch());
  return prepare(o.subset ? subset_of(dataset) : dataset, o.from, home, observer.say(),
                 observer.watch());
}

// Says how much of the dataset there is, since any part was accepted.
Result<void> state_part(const std::filesystem::path& folder, const Context& context) {
  TACHO_TRY(classes, read_class_table(folder));
  const SampleTotals totals = totals_of(classes);
  context.warn(fmt::format("prepared a part: {} classes, {} training and {} evaluation samples",
                           classes.size(), totals.train, totals.eval));
  return {};
}

Result<int> get_dataset(const DataOptions& o, const Context& context) {
  TACHO_TRY(dataset, find_dataset(o.name));
  TACHO_TRY(folder, make(*dataset, o, context));
  if (o.subset) TACHO_CHECK(state_part(folder, context));
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
    Observer observer(context);  // clears its line before the table is printed
    reports = verify(*dataset, folder, observer.say(), observer.watch());
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
  CLI::App* data = app.add_subcommand("data", "download, prepare and verify datasets");
  data->require_subcommand(1);
  const std::string known = "dataset, from the list below";

  auto list_json = std::make_shared<bool>(false);
  CLI::App* ls = data->add_subcommand("ls", "list datasets and their folders");
  ls->add_flag("--json", *list_json, "print JSON");
  ls->callback([=, &context] { context.run([&] { return list_datasets(*list_json, context); }); });

  auto got = std::make_shared<DataOptions>();
  CLI::App* get = data->add_subcommand("get", "download a dataset");
  get->footer(dataset_list());
  get->add_option("name", got->name, known)->required();
  get->add_option("--from", got->from, "archive or folder that has the files already")
      ->type_name("PATH");
  get->callback([=, &context] { context.run([&] { return get_dataset(*got, context); }); });

  auto prepared = std::make_shared<DataOptions>();
  CLI::App* prepare = data->add_subcommand("prepare", "prepare a dataset from its published files");
  prepare->footer(accepted_sources());
  prepare->add_option("name", prepared->name, known)->required();
  prepare->add_option("--from", prepared->from, "archive or folder; the list below says which")
      ->type_name("PATH")
      ->required();
  prepare->add_flag("--subset", prepared->subset,
                    "accept fewer classes or samples than published (image datasets, imdb)");
  prepare->callback(
      [=, &context] { context.run([&] { return get_dataset(*prepared, context); }); });

  auto verified = std::make_shared<DataOptions>();
  CLI::App* verify = data->add_subcommand(
      "verify", "check the counts, sizes, checksums and magic numbers of a dataset");
  verify->footer(dataset_list());
  verify->add_option("name", verified->name, known)->required();
  verify->add_option("--from", verified->from, "folder to check (default: the dataset's)")
      ->type_name("FOLDER");
  verify->add_flag("--json", verified->json, "print JSON");
  verify->callback(
      [=, &context] { context.run([&] { return verify_dataset(*verified, context); }); });
}

}  // namespace tacho
