#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/home.h"
#include "cli/commands.h"
#include "cli/table.h"
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
  bool json = false;
};

Result<int> list_datasets(bool json, const Context& context) {
  TACHO_TRY(home, tacho_home());
  Table table({{"dataset", Align::left},
               {"input", Align::left},
               {"classes"},
               {"where, or how to get it", Align::left}});
  Json list = Json::array();
  for (const DatasetInfo& dataset : dataset_catalog()) {
    const auto folder = locate(dataset, home, "");
    const std::string place = folder.ok() ? folder->string() : how_to_get(dataset);
    table.add({std::string(dataset.name), std::string(kInputKinds.of(dataset.input)),
               std::to_string(dataset.classes), place});
    list.push_back({{"name", dataset.name},
                    {"help", dataset.help},
                    {"input", kInputKinds.of(dataset.input)},
                    {"classes", dataset.classes},
                    {"folder", folder.ok() ? Json(folder->string()) : Json(nullptr)},
                    {"how_to_get", how_to_get(dataset)}});
  }
  context.print(json ? json_text(list, 1) + "\n" : table.text(context.out));
  return kSuccess;
}

Result<int> get_dataset(const DataOptions& o, const Context& context) {
  TACHO_TRY(dataset, find_dataset(o.name));
  TACHO_TRY(home, tacho_home());
  const Say say = [&context](std::string_view line) { context.say(line); };
  TACHO_TRY(folder,
            o.from.empty() ? get(*dataset, home, say) : prepare(*dataset, o.from, home, say));
  context.print(fmt::format("{} is ready in {}\n", dataset->name, folder.string()));
  return kSuccess;
}

Result<int> verify_dataset(const DataOptions& o, const Context& context) {
  TACHO_TRY(dataset, find_dataset(o.name));
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(folder, locate(*dataset, home, o.from));
  const auto reports =
      verify(*dataset, folder, [&context](std::string_view line) { context.say(line); });
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
  const std::string known = fmt::format("one of {}", fmt::join(dataset_names(), ", "));

  auto list_json = std::make_shared<bool>(false);
  CLI::App* ls = data->add_subcommand("ls", "which datasets there are, and where");
  ls->add_flag("--json", *list_json, "as JSON");
  ls->callback([=, &context] { context.run([&] { return list_datasets(*list_json, context); }); });

  auto got = std::make_shared<DataOptions>();
  CLI::App* get = data->add_subcommand("get", "fetch a dataset");
  get->add_option("name", got->name, known)->required();
  get->add_option("--from", got->from, "a folder that has the files");
  get->callback([=, &context] { context.run([&] { return get_dataset(*got, context); }); });

  auto prepared = std::make_shared<DataOptions>();
  CLI::App* prepare = data->add_subcommand("prepare", "check a dataset's files and take them over");
  prepare->add_option("name", prepared->name, known)->required();
  prepare->add_option("--from", prepared->from, "the folder or archive that has the files")
      ->required();
  prepare->callback(
      [=, &context] { context.run([&] { return get_dataset(*prepared, context); }); });

  auto verified = std::make_shared<DataOptions>();
  CLI::App* verify = data->add_subcommand("verify", "check magic numbers, sizes and checksums");
  verify->add_option("name", verified->name, known)->required();
  verify->add_option("--from", verified->from, "another folder than the dataset's own");
  verify->add_flag("--json", verified->json, "as JSON");
  verify->callback(
      [=, &context] { context.run([&] { return verify_dataset(*verified, context); }); });
}

}  // namespace tacho
