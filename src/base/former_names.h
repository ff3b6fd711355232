#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace tacho {

// Fields of records, events, specs and exports that earlier versions wrote under another name.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFormerNames = {
    {{"environment_exited", "stay"},
     {"environment_seconds", "stays_seconds"},
     {"kernels_per_step", "kernels_a_step"},
     {"ranks_per_node", "ranks_a_node"},
     {"spec.dist.ranks_per_node", "spec.dist.ranks_a_node"}}};

// Returns "" for a name that never changed.
constexpr std::string_view former_name(std::string_view name) {
  for (const auto& [now, former] : kFormerNames) {
    if (now == name) return former;
  }
  return "";
}

}  // namespace tacho
