#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/nearest.h"
#include "base/yaml_object.h"
#include "experiments/sweep/grid.h"
#include "experiments/sweep/grid_values.h"

namespace tacho {
namespace {

constexpr std::size_t kMostOptions = 1000;  // per configuration

// Returns the names in braces in a command: "--lr={lr}" contains "lr".
std::set<std::string, std::less<>> names_in_braces(std::span<const std::string> command) {
  std::set<std::string, std::less<>> names;
  for (const std::string& word : command) {
    std::size_t open = std::string::npos;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] == '{') open = i + 1;
      if (word[i] != '}' || open == std::string::npos) continue;
      names.insert(word.substr(open, i - open));
      open = std::string::npos;
    }
  }
  return names;
}

class GridReader {
 public:
  GridReader(std::string_view file, std::span<const std::string> train_options)
      : file_(file), train_options_(train_options) {}

  Result<Grid> read(const YamlNode& root) {
    YamlObject object(root, file_);
    object.read("name", grid_.name);
    const YamlNode* base = object.part("base");
    const YamlNode* matrix = object.part("matrix");
    const YamlNode* include = object.part("include");
    const YamlNode* exclude = object.part("exclude");
    const YamlNode* seeds = object.part("seeds");
    const YamlNode* limits = object.part("limits");
    const YamlNode* budget = object.part("budget");
    const YamlNode* needs = object.part("needs");
    const YamlNode* launcher = object.part("launcher");
    std::optional<std::int64_t> repeat;
    object.read("repeat", repeat);
    object.read_name("order", kSweepOrders, grid_.order);
    TACHO_CHECK(object.finish());
    if (base == nullptr) {
      return yaml_error(file_, root, "'base' is missing: the options that all runs share");
    }
    TACHO_CHECK(read_base(*base));
    if (matrix != nullptr) TACHO_CHECK(read_matrix(*matrix));
    if (include != nullptr) TACHO_CHECK(read_included(*include));
    if (exclude != nullptr) TACHO_CHECK(read_excluded(*exclude));
    if (seeds != nullptr) TACHO_CHECK(read_seeds(*seeds));
    if (repeat && (*repeat < 1 || *repeat > kMostValues)) {
      return yaml_error(file_, *root.find("repeat"),
                        fmt::format("'repeat' must be between 1 and {}", kMostValues));
    }
    grid_.repeat = repeat.value_or(1);
    if (limits != nullptr) TACHO_CHECK(read_limits(*limits));
    if (budget != nullptr) TACHO_CHECK(read_budget(*budget));
    if (needs != nullptr) TACHO_CHECK(read_needs(*needs));
    if (launcher != nullptr) TACHO_CHECK(read_launcher(*launcher));
    if (!grid_.command.empty()) TACHO_CHECK(check_used(root));
    return std::move(grid_);
  }

 private:
  Result<void> read_base(const YamlNode& node) {
    if (const YamlNode* command = node.find("command")) {
      TACHO_TRY(words, values_of(*command, file_));
      if (words.empty()) return yaml_error(file_, *command, "expected the name of a program");
      grid_.command = std::move(words);
    }
    return read_configuration(node, grid_.base);
  }

  // The options of a program are the names in braces in its command; check_used() checks them.
  Result<void> check_name(const YamlNode& key) const {
    if (!grid_.command.empty()) return {};
    if (std::ranges::find(train_options_, key.text) != train_options_.end()) return {};
    const std::vector<std::string_view> known(train_options_.begin(), train_options_.end());
    return yaml_error(file_, key, unknown_name("option", key.text, known));
  }

  // Limited because Configuration::find() is linear.
  Result<void> check_count(const YamlNode& map) const {
    if (map.entries.size() <= kMostOptions) return {};
    return yaml_error(file_, map, fmt::format("more than {} options", kMostOptions));
  }

  Result<void> read_configuration(const YamlNode& node, Configuration& out) const {
    if (node.kind != YamlNode::Kind::map) {
      return yaml_error(file_, node,
                        fmt::format("expected options with values, not {}", kind_name(node.kind)));
    }
    TACHO_CHECK(check_count(node));
    for (const auto& [key, value] : node.entries) {
      if (key.text == "command" && !grid_.command.empty()) continue;
      TACHO_CHECK(check_name(key));
      TACHO_TRY(text, value_of(value, file_));
      out.set(key.text, std::move(text));
    }
    return {};
  }

  Result<void> check_list(const YamlNode& node) const {
    if (node.kind == YamlNode::Kind::list) return {};
    return yaml_error(
        file_, node,
        fmt::format("expected a list of options with values, not {}", kind_name(node.kind)));
  }

  Result<void> read_list(const YamlNode& node, std::vector<Configuration>& out) const {
    TACHO_CHECK(check_list(node));
    for (const YamlNode& item : node.items) {
      Configuration configuration;
      TACHO_CHECK(read_configuration(item, configuration));
      if (configuration.empty()) return yaml_error(file_, item, "the entry has no options");
      out.push_back(std::move(configuration));
    }
    return {};
  }

  // A list or range in an entry makes one entry per value.
  Result<void> read_included(const YamlNode& node) {
    TACHO_CHECK(check_list(node));
    for (const YamlNode& item : node.items) {
      TACHO_CHECK(check_count(item));
      std::vector<Configuration> made = {Configuration{}};
      for (const auto& [key, value] : item.entries) {
        TACHO_CHECK(check_name(key));
        TACHO_TRY(values, one_or_more(value, file_));
        std::vector<Configuration> longer;
        for (const Configuration& shorter : made) {
          for (const std::string& each : values) {
            longer.push_back(shorter);
            longer.back().set(key.text, each);
          }
        }
        if (std::ssize(longer) > kMostValues) {
          return yaml_error(file_, item, fmt::format("more than {} runs", kMostValues));
        }
        made = std::move(longer);
      }
      if (item.entries.empty()) return yaml_error(file_, item, "the entry has no options");
      std::ranges::move(made, std::back_inserter(grid_.include));
      if (std::ssize(grid_.include) > kMostValues) {
        return yaml_error(file_, node, fmt::format("more than {} runs", kMostValues));
      }
    }
    return {};
  }

  // An exclusion with a value that is not in the matrix would silently have no effect.
  Result<void> read_excluded(const YamlNode& node) {
    TACHO_CHECK(read_list(node, grid_.exclude));
    std::map<std::string_view, std::set<std::string_view>> matrix;
    for (const Axis& axis : grid_.matrix) {
      matrix[axis.name] = {axis.values.begin(), axis.values.end()};
    }
    for (const YamlNode& item : node.items) {
      for (const auto& [key, value] : item.entries) {
        const auto axis = matrix.find(key.text);
        if (axis == matrix.end()) {
          std::vector<std::string_view> known;
          for (const Axis& each : grid_.matrix) known.push_back(each.name);
          return yaml_error(file_, key, unknown_name("option of the matrix", key.text, known));
        }
        if (!axis->second.contains(value.text)) {
          return yaml_error(file_, value,
                            fmt::format("the matrix has no {}={}", key.text, value.text));
        }
      }
    }
    return {};
  }

  Result<void> read_matrix(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::map) {
      return yaml_error(
          file_, node,
          fmt::format("expected options with lists of values, not {}", kind_name(node.kind)));
    }
    TACHO_CHECK(check_count(node));
    for (const auto& [key, value] : node.entries) {
      TACHO_CHECK(check_name(key));
      Axis axis{.name = key.text};
      TACHO_TRY(values, list_or_range(value, file_));
      axis.values = std::move(values);
      std::set<std::string_view> seen;
      for (const std::string& each : axis.values) {
        if (seen.insert(each).second) continue;
        return yaml_error(
            file_, value,
            fmt::format("{}={} occurs twice; to repeat runs, use 'repeat'", axis.name, each));
      }
      grid_.matrix.push_back(std::move(axis));
    }
    return {};
  }

  // A list of seeds, or their number: 3 means 0, 1, 2.
  Result<void> read_seeds(const YamlNode& node) {
    if (!grid_.command.empty()) {
      return yaml_error(file_, node,
                        "'seeds' is for trainings; for a program, add a seed to the matrix");
    }
    if (std::ranges::find(grid_.matrix, "seed", &Axis::name) != grid_.matrix.end() ||
        grid_.base.find("seed") != nullptr) {
      return yaml_error(file_, node, "'seed' is already set; use either 'seed' or 'seeds'");
    }
    if (node.kind == YamlNode::Kind::scalar) {
      TACHO_TRY(count, yaml_whole(node, file_));
      if (count < 1 || count > kMostValues) {
        return yaml_error(file_, node,
                          fmt::format("'seeds' must be between 1 and {}", kMostValues));
      }
      for (std::int64_t seed = 0; seed < count; ++seed) grid_.seeds.push_back(seed);
      return {};
    }
    if (node.kind != YamlNode::Kind::list || node.items.empty()) {
      return yaml_error(file_, node, "expected a number of seeds or a list of them");
    }
    std::set<std::int64_t> seen;
    for (const YamlNode& item : node.items) {
      TACHO_TRY(seed, yaml_whole(item, file_));
      if (!seen.insert(seed).second) {
        return yaml_error(file_, item, "the seed occurs twice; to repeat runs, use 'repeat'");
      }
      grid_.seeds.push_back(seed);
    }
    return {};
  }

  Result<void> read_limits(const YamlNode& node) {
    YamlObject object(node, file_);
    object.read("time", grid_.limits.time);
    object.read("memory", grid_.limits.memory);
    return object.finish();
  }

  Result<void> read_budget(const YamlNode& node) {
    YamlObject object(node, file_);
    object.read("hours", grid_.budget.hours);
    object.read("runs", grid_.budget.runs);
    TACHO_CHECK(object.finish());
    if (grid_.budget.hours.value_or(1) <= 0)
      return yaml_error(file_, node, "'hours' must be above 0");
    if (grid_.budget.runs.value_or(1) < 1)
      return yaml_error(file_, node, "'runs' must be at least 1");
    return {};
  }

  Result<void> read_needs(const YamlNode& node) {
    YamlObject object(node, file_);
    object.read("cores", grid_.needs.cores);
    object.read("memory", grid_.needs.memory);
    object.read("gpus", grid_.needs.gpus);
    TACHO_CHECK(object.finish());
    if (grid_.needs.cores.value_or(1) <= 0)
      return yaml_error(file_, node, "'cores' must be above 0");
    const std::int64_t gpus = grid_.needs.gpus.value_or(0);
    if (gpus < 0 || gpus > 1024)
      return yaml_error(file_, node, "'gpus' must be between 0 and 1024");
    return {};
  }

  // Other options are passed to the launcher, which checks them.
  Result<void> read_launcher(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar) {
      grid_.launcher.kind = node.text;
      return {};
    }
    if (node.kind != YamlNode::Kind::map) {
      return yaml_error(file_, node, "expected the name of a launcher or its options");
    }
    for (const auto& [key, value] : node.entries) {
      TACHO_TRY(text, value_of(value, file_));
      if (key.text == "kind") {
        grid_.launcher.kind = std::move(text);
      } else if (key.text == "slots") {
        TACHO_TRY(slots, yaml_whole(value, file_));
        if (slots < 1 || slots > kMostValues) {
          return yaml_error(file_, value,
                            fmt::format("'slots' must be between 1 and {}", kMostValues));
        }
        grid_.launcher.slots = slots;
      } else {
        grid_.launcher.options[key.text] = std::move(text);
      }
    }
    return {};
  }

  // An option that the command does not use would make identical runs.
  Result<void> check_used(const YamlNode& root) const {
    const auto used = names_in_braces(grid_.command);
    const auto check = [&](const YamlNode& map) -> Result<void> {
      for (const auto& [key, value] : map.entries) {
        const bool known = std::ranges::find(kProgramOptions, key.text) != kProgramOptions.end();
        if (used.contains(key.text) || known || key.text == "command") continue;
        return yaml_error(
            file_, key,
            fmt::format("the command does not contain {{{0}}}; add it where {0} belongs",
                        key.text));
      }
      return {};
    };
    TACHO_CHECK(check(*root.find("base")));
    if (const YamlNode* matrix = root.find("matrix")) TACHO_CHECK(check(*matrix));
    if (const YamlNode* include = root.find("include")) {
      for (const YamlNode& item : include->items) TACHO_CHECK(check(item));
    }
    return {};
  }

  std::string_view file_;
  std::span<const std::string> train_options_;
  Grid grid_;
};

}  // namespace

Result<Grid> read_grid(std::string_view text, std::string_view file,
                       std::span<const std::string> options) {
  TACHO_TRY(root, parse_yaml(text, file));
  return read_grid(root, file, options);
}

Result<Grid> read_grid(const YamlNode& root, std::string_view file,
                       std::span<const std::string> options) {
  return GridReader(file, options).read(root);
}

}  // namespace tacho
