#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// Parsers for the compressed lists in the environment of a Slurm task.

// Expands "node[1-3,07],gpu5" to node1 node2 node3 node07 gpu5. A name may have several brackets.
Result<std::vector<std::string>> expand_hosts(std::string_view list);

// Returns the entry of `node`, counted from 0. "2(x3),1" means two tasks on each of three nodes,
// then one task on the fourth.
Result<std::int64_t> tasks_on_node(std::string_view list, std::int64_t node);

}  // namespace tacho
