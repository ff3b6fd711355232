#include "cli/completion_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/completion_scripts.h"
#include "cli/doc_pages.h"
#include "data/catalog.h"
#include "record/dist_spec.h"
#include "record/model_catalog.h"
#include "record/precision.h"

namespace tacho {
namespace {

std::vector<std::string> copied(const auto& words) {
  return std::vector<std::string>(words.begin(), words.end());
}

std::vector<std::string> page_names() {
  std::vector<std::string> names;
  for (const DocPage& page : doc_pages()) {
    names.emplace_back(page.topic);
    if (!page.question.empty() && page.question != page.topic) names.emplace_back(page.question);
  }
  return names;
}

std::vector<std::string> names_behind(std::string_view path) {
  constexpr std::array kOfModels = {"tacho train", "tacho describe", "tacho predict"};
  constexpr std::array kOfDatasets = {"tacho data get", "tacho data prepare", "tacho data verify"};
  if (std::ranges::find(kOfModels, path) != kOfModels.end()) return copied(model_names());
  if (std::ranges::find(kOfDatasets, path) != kOfDatasets.end()) return copied(dataset_names());
  if (path == "tacho help") return page_names();
  if (path == "tacho completion") return copied(kShells.all());
  return {};
}

void add_crossings(const CLI::App& command, const std::string& path, std::vector<Crossing>& out) {
  Crossing crossing{path, {}, {}, names_behind(path)};
  for (const CLI::App* sub : command.get_subcommands({})) {
    if (sub->get_group().empty()) continue;  // those are for programs
    crossing.commands.push_back({sub->get_name(), sub->get_description(), {}, false});
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      const std::string short_name =
          option->get_snames().empty() ? "" : "-" + option->get_snames().front();
      crossing.options.push_back(
          {"--" + name, option->get_description(), short_name, option->get_items_expected() > 0});
    }
  }
  out.push_back(std::move(crossing));
  for (const CLI::App* sub : command.get_subcommands({})) {
    add_crossings(*sub, path + " " + sub->get_name(), out);
  }
}

}  // namespace

std::vector<Crossing> crossings_of(const CLI::App& app) {
  std::vector<Crossing> crossings;
  add_crossings(app, "tacho", crossings);
  return crossings;
}

std::vector<OptionValues> option_values() {
  return {{{"--data", "-d"}, copied(dataset_names())},
          {{"--optimizer"}, copied(kOptimizers.all())},
          {{"--schedule"}, copied(kSchedules.all())},
          {{"--device"}, copied(kDevices.all())},
          {{"--mkldnn", "--augment", "--channels-last", "--graphs"}, copied(kSwitches.all())},
          {{"--precision"}, copied(kPrecisions.all())},
          {{"--backend"}, copied(kDistBackends.all())},
          {{"--compress"}, copied(kCompressions.all())},
          {{"--lr-scale"}, copied(kRateScalings.all())},
          {{"--data-dir", "--from", "--output", "-o", "--vocab", "--weights", "--html", "--texts"},
           {}}};
}

}  // namespace tacho
