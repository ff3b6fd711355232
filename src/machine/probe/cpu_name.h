#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Returns the name of the CPU from the text of /proc/cpuinfo: "Intel(R) Xeon(R) …", "Neoverse-V1",
// "ARM implementer 0x41 part 0xd4e"; "" if it is unknown.
std::string cpu_name(std::string_view cpuinfo);

// Returns the widest vector unit in the text of /proc/cpuinfo: "avx512", "avx2", "neon"; "" if it
// has another or none.
std::string vector_unit(std::string_view cpuinfo);

}  // namespace tacho
