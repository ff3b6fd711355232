#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "experiments/study/sections.h"

namespace tacho {
namespace {

using bandwidth::Measurement;
using bandwidth::Operation;
using bandwidth::Survey;

std::string rate_text(const Measurement& one) {
  return fmt::format("{:.1f} GB/s", one.bytes_per_s() / 1e9);
}

std::vector<Operation> operations_at(const Survey& survey, const std::string& level) {
  std::vector<Operation> all;
  for (const Measurement& one : survey.measurements) {
    if (one.level == level && std::ranges::find(all, one.operation) == all.end()) {
      all.push_back(one.operation);
    }
  }
  return all;
}

struct Extremes {
  const Measurement* fastest = nullptr;
  const Measurement* slowest = nullptr;
};

Extremes extremes_of(const Survey& survey, const std::string& level, Operation operation) {
  Extremes found;
  for (const Measurement& one : survey.measurements) {
    if (one.level != level || one.operation != operation) continue;
    const double rate = one.bytes_per_s();
    if (found.fastest == nullptr || rate > found.fastest->bytes_per_s()) found.fastest = &one;
    if (found.slowest == nullptr || rate < found.slowest->bytes_per_s()) found.slowest = &one;
  }
  return found;
}

std::string form_text(const Measurement& one) {
  if (one.threads == 0) return one.form;
  return fmt::format("{}, {} {}", one.form, one.threads, one.threads == 1 ? "thread" : "threads");
}

DocumentTable level_table(const Survey& survey, const std::string& level) {
  const Measurement& ceiling = *ceiling_at(survey, level);
  DocumentTable table{.headings = {{"operation", Align::left},
                                   {"fastest form", Align::left},
                                   {"rate"},
                                   {"share of ceiling"},
                                   {"slowest form", Align::left},
                                   {"rate"},
                                   {"saved by the fastest"},
                                   {"why the slowest is slower", Align::left}},
                      .rows = {}};
  for (const Operation operation : operations_at(survey, level)) {
    const auto [fastest, slowest] = extremes_of(survey, level, operation);
    const double saved = 1 - slowest->bytes_per_s() / fastest->bytes_per_s();
    table.rows.push_back({std::string(bandwidth::kOperations.of(operation)), form_text(*fastest),
                          rate_text(*fastest),
                          human_share(fastest->bytes_per_s() / ceiling.bytes_per_s()),
                          form_text(*slowest), rate_text(*slowest), human_share(saved),
                          loss_of(*slowest, ceiling).words});
  }
  return table;
}

}  // namespace

std::vector<Block> survey_blocks(const Survey& survey) {
  std::vector<Block> blocks;
  for (const std::string& level : levels_of(survey)) {
    const Measurement& ceiling = *ceiling_at(survey, level);
    blocks.emplace_back(Paragraph{fmt::format("{}, {} in total: the ceiling is {}, reached by {}.",
                                              level, human(Bytes{ceiling.set_bytes}),
                                              rate_text(ceiling), form_text(ceiling))});
    blocks.emplace_back(level_table(survey, level));
  }
  blocks.emplace_back(Paragraph{
      fmt::format(
          "{}; {}. Medians; rates count the bytes that must move. 'tacho bench show {}' shows "
          "every form.",
          survey.machine, survey.facts, survey.key),
      true});
  return blocks;
}

}  // namespace tacho
