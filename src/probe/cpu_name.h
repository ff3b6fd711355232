#pragma once

#include <string>
#include <string_view>

namespace tacho {

// The processor's name out of the text of /proc/cpuinfo: "Intel(R) Xeon(R) …", "Neoverse-V1",
// "ARM implementer 0x41 part 0xd4e"; "" where nothing names it.
std::string cpu_name(std::string_view cpuinfo);

}  // namespace tacho
