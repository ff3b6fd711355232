#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tacho {

// A word that may come next, and what it means; of options the short name too, if there is one.
struct OfferedWord {
  std::string word;
  std::string help;
  std::string short_name;
  bool takes_value = false;
};

// What may follow the words so far: "tacho data get".
struct Crossing {
  std::string path;
  std::vector<OfferedWord> commands;
  std::vector<OfferedWord> options;
  std::vector<std::string> names;  // of models, datasets, shells, pages
};

// What may follow an option, wherever it stands; without values it is a file.
struct OptionValues {
  std::vector<std::string> options;
  std::vector<std::string> values;
};

// Made from the program's own options, so that no shell's script can fall behind them.
std::vector<Crossing> crossings_of(const CLI::App& app);
std::vector<OptionValues> option_values();

}  // namespace tacho
