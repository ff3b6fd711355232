#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tacho {

// A word that may come next, with its help.
struct OfferedWord {
  std::string word;
  std::string help;
  std::string short_name;  // of an option, "" if it has none
  bool takes_value = false;
};

// The words that may follow a command such as "tacho data get".
struct CompletionNode {
  std::string path;
  std::vector<OfferedWord> commands;
  std::vector<OfferedWord> options;
  std::vector<std::string> names;  // of models, datasets, shells, pages
};

// The values of options; a file if there are none.
struct OptionValues {
  std::vector<std::string> options;
  std::vector<std::string> values;
};

// Collects the words from the commands themselves.
std::vector<CompletionNode> completion_nodes(const CLI::App& app);
std::vector<OptionValues> option_values();

}  // namespace tacho
