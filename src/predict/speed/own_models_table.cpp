#include "predict/speed/own_models_table.h"

#include <fmt/format.h>

#include "base/table.h"

namespace tacho {

std::string own_models_table(std::span<const OwnSpeedScore> scores, const Terminal& terminal) {
  Table table({{"own models: held out", Align::left},
               {"jobs"},
               {"median"},
               {"worst"},
               {"in interval"},
               {"abstained"}});
  for (const OwnSpeedScore& one : scores) {
    table.add({one.held_out, fmt::format("{}", one.count),
               fmt::format("{:.1f} %", 100 * one.median_error),
               fmt::format("{:.0f} %", 100 * one.worst_error),
               fmt::format("{:.0f} %", 100 * one.coverage), fmt::format("{}", one.abstained)});
  }
  return table.text(terminal);
}

}  // namespace tacho
