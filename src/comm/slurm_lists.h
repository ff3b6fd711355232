#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// The short forms in which Slurm writes lists into a task's environment.

// "node[1-3,07],gpu5": node1 node2 node3 node07 gpu5. A name may have several brackets.
Result<std::vector<std::string>> expand_hosts(std::string_view list);

// "2(x3),1": two tasks on each of three nodes, then one. The entry of `node`, counted from 0.
Result<std::int64_t> tasks_on_node(std::string_view list, std::int64_t node);

}  // namespace tacho
