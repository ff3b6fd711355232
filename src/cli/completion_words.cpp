#include "cli/completion_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/completion_scripts.h"
#include "cli/doc_pages.h"
#include "core/record/model_catalog.h"
#include "core/record/run_options.h"
#include "training/data/catalog.h"

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

std::vector<std::string> arguments_of(std::string_view path) {
  constexpr std::array kTakeModels = {"tacho train", "tacho describe", "tacho predict"};
  constexpr std::array kTakeDatasets = {"tacho data get", "tacho data prepare",
                                        "tacho data verify"};
  if (std::ranges::find(kTakeModels, path) != kTakeModels.end()) return copied(model_names());
  if (std::ranges::find(kTakeDatasets, path) != kTakeDatasets.end()) return copied(dataset_names());
  if (path == "tacho help") return page_names();
  if (path == "tacho completion") return copied(kShells.all());
  return {};
}

void add_nodes(const CLI::App& command, const std::string& path, std::vector<CompletionNode>& out) {
  CompletionNode node{path, {}, {}, arguments_of(path)};
  for (const CLI::App* sub : command.get_subcommands({})) {
    if (sub->get_group().empty()) continue;  // hidden
    node.commands.push_back({sub->get_name(), sub->get_description(), {}, false});
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      const std::string short_name =
          option->get_snames().empty() ? "" : "-" + option->get_snames().front();
      node.options.push_back(
          {"--" + name, option->get_description(), short_name, option->get_items_expected() > 0});
    }
  }
  out.push_back(std::move(node));
  for (const CLI::App* sub : command.get_subcommands({})) {
    if (sub->get_group().empty()) continue;
    add_nodes(*sub, path + " " + sub->get_name(), out);
  }
}

}  // namespace

std::vector<CompletionNode> completion_nodes(const CLI::App& app) {
  std::vector<CompletionNode> nodes;
  add_nodes(app, "tacho", nodes);
  return nodes;
}

std::vector<OptionValues> option_values() {
  std::vector<OptionValues> values = {
      {{"--data", "-d"}, copied(dataset_names())},
      {{"--data-dir", "--from", "--output", "-o", "--vocab", "--weights", "--html", "--texts"},
       {}}};
  for (const RunOption& option : run_options()) {
    if (option.choices.empty()) continue;
    values.push_back({{fmt::format("--{}", option.name)}, copied(option.choices)});
  }
  return values;
}

}  // namespace tacho
