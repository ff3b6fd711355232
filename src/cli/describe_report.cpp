#include "cli/describe_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/table.h"
#include "base/units.h"

namespace tacho {
namespace {

constexpr std::size_t kMostRows = 40;
constexpr std::size_t kNameColumns = 33;

// Formats counts of operations with a prefix, such as "4.09 G".
std::string human_operations(double count) {
  constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (count >= 1000 && prefix + 1 < kPrefixes.size()) {
    count /= 1000;
    ++prefix;
  }
  if (count == 0) return "-";
  const int decimals = prefix == 0 ? 0 : count < 10 ? 2 : count < 100 ? 1 : 0;
  return fmt::format("{:.{}f}{}{}", count, decimals, prefix == 0 ? "" : " ", kPrefixes[prefix]);
}

std::string human_bytes(double bytes) {
  return bytes == 0 ? "-" : human(Bytes{static_cast<std::int64_t>(std::llround(bytes))});
}

// Keeps the end of a long name, which is more specific than its beginning.
std::string short_name(const std::string& name) {
  if (display_width(name) <= kNameColumns) return name;
  return "…" + name.substr(name.size() - (kNameColumns - 1));
}

struct Row {
  std::string name;
  std::string group;
  std::string output;
  double parameters = 0;
  double multiply_adds = 0;
  double saved = 0;
};

Row read_row(const Json& layer) {
  Row row;
  row.name = layer.at("name").get<std::string>();
  row.group = layer.at("group").get<std::string>();
  row.output =
      fmt::format("{}", fmt::join(layer.at("output").get<std::vector<std::int64_t>>(), "x"));
  row.parameters = layer.at("parameters").get<double>();
  row.multiply_adds = layer.at("forward_multiply_adds").get<double>();
  row.saved = layer.at("saved_bytes").get<double>();
  return row;
}

std::vector<Row> in_groups(const std::vector<Row>& rows) {
  std::vector<Row> groups;
  for (const Row& row : rows) {
    if (groups.empty() || groups.back().group != row.group) {
      groups.push_back(row);
      groups.back().name = row.group;
      continue;
    }
    Row& group = groups.back();
    group.output = row.output;
    group.parameters += row.parameters;
    group.multiply_adds += row.multiply_adds;
    group.saved += row.saved;
  }
  return groups;
}

std::string layer_table(const Json& description, bool every_layer, const Terminal& terminal) {
  std::vector<Row> rows;
  for (const Json& layer : description.at("layers")) rows.push_back(read_row(layer));
  std::string hint;
  if (rows.size() > kMostRows && !every_layer) {
    hint = fmt::format("{} layers, grouped; --layers lists each\n", rows.size());
    rows = in_groups(rows);
  }
  Table table({{"layer", Align::left}, {"output"}, {"parameters"}, {"mult-adds"}, {"kept"}});
  for (const Row& row : rows) {
    table.add({short_name(row.name), row.output.empty() ? "1" : row.output,
               row.parameters == 0 ? "-" : human_count(row.parameters),
               human_operations(row.multiply_adds), human_bytes(row.saved)});
  }
  return table.text(terminal) + terminal.dim(hint);
}

std::string sample_text(const Json& d) {
  if (d.at("length").get<int>() > 0) return fmt::format("{} tokens", d.at("length").get<int>());
  return fmt::format("{}x{}x{}", d.at("channels").get<int>(), d.at("height").get<int>(),
                     d.at("width").get<int>());
}

std::string work_line(const char* title, const Json& d, const std::string& direction) {
  const auto batch = d.at("batch").get<double>();
  const auto adds = d.at(direction + "_multiply_adds").get<double>();
  return fmt::format("{:<14}{} mult-adds per sample; {}FLOP per batch, {} moved\n", title,
                     human_operations(adds / batch), human_operations(2 * adds),
                     human_bytes(d.at(direction + "_bytes_moved").get<double>()));
}

std::string memory_text(const Json& m, const Terminal& terminal) {
  const Json& peak = m.at("peak");
  const auto at = peak.at("at").get<std::string>();
  const auto phase = peak.at("phase").get<std::string>();
  std::string out =
      fmt::format("{:<14}{} peak in the {}\n", "memory",
                  terminal.bold(human_bytes(m.at("total_bytes").get<double>())), phase);
  if (!at.empty()) out += fmt::format("{:<14}at {}\n", "", at);
  const auto part = [&out](const char* title, double bytes) {
    if (bytes > 0) out += fmt::format("  {:<24}{:>10}\n", title, human_bytes(bytes));
  };
  part("weights", m.at("weights_bytes").get<double>());
  part("16-bit copies", m.at("copies_16bit_bytes").get<double>());
  part("optimizer state", m.at("optimizer_state_bytes").get<double>());
  part("input batch", m.at("inputs_bytes").get<double>());
  part("cuBLAS workspaces", m.at("library_workspaces_bytes").get<double>());
  part("activations", peak.at("activations_bytes").get<double>());
  part("gradients so far", peak.at("gradients_bytes").get<double>());
  part("temporaries", peak.at("temporaries_bytes").get<double>());
  return out;
}

}  // namespace

Result<std::string> describe_report(const Json& d, bool every_layer, const Terminal& terminal) try {
  std::string out = fmt::format(
      "{}  {}, {} classes; batch {}, {}, {}\n\n", terminal.bold(d.at("model").get<std::string>()),
      sample_text(d), d.at("classes").get<int>(), d.at("batch").get<std::int64_t>(),
      d.at("precision").get<std::string>(), d.at("optimizer").get<std::string>());
  out += layer_table(d, every_layer, terminal) + "\n";
  out += fmt::format("{:<14}{}\n", "parameters", human_count(d.at("parameters").get<double>()));
  out += work_line("forward", d, "forward");
  out += work_line("backward", d, "backward");
  return out + memory_text(d.at("memory"), terminal);
} catch (const Json::exception& problem) {
  return Error{ErrorCode::failed,
               fmt::format("cannot read the description by tacho-worker ({}); build both programs "
                           "from the same commit with script/build",
                           problem.what())};
}

}  // namespace tacho
