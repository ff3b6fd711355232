#include "machine/probe/cpu_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/split.h"
#include "machine/probe/proc_text.h"

namespace tacho {
namespace {

// 64-bit ARM kernels report numbers instead of a name. These are the CPUs of cloud instances, small
// boards and laptops, with the names of lscpu.
struct ArmPart {
  std::string_view implementer;
  std::string_view part;
  std::string_view name;
};
constexpr std::array kArmParts = {
    ArmPart{"0x41", "0xd0c", "Neoverse-N1"}, ArmPart{"0x41", "0xd40", "Neoverse-V1"},
    ArmPart{"0x41", "0xd49", "Neoverse-N2"}, ArmPart{"0x41", "0xd4f", "Neoverse-V2"},
    ArmPart{"0x41", "0xd08", "Cortex-A72"},  ArmPart{"0x41", "0xd0b", "Cortex-A76"},
    ArmPart{"0x61", "0x022", "Apple M1"},    ArmPart{"0x61", "0x023", "Apple M1"},
    ArmPart{"0x61", "0x032", "Apple M2"},    ArmPart{"0x61", "0x033", "Apple M2"},
    ArmPart{"0x61", "0x000", "Apple"},  // in a virtual machine on macOS, which hides the part
};

}  // namespace

std::string cpu_name(std::string_view cpuinfo) {
  if (const auto name = value_of(cpuinfo, "model name"); !name.empty()) return std::string(name);
  const auto implementer = value_of(cpuinfo, "CPU implementer");
  const auto part = value_of(cpuinfo, "CPU part");
  for (const ArmPart& known : kArmParts) {
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  }
  if (implementer.empty()) return "";
  return fmt::format("ARM implementer {} part {}", implementer, part);
}

std::string vector_unit(std::string_view cpuinfo) {
  const auto x86 = split(value_of(cpuinfo, "flags"), ' ');
  const auto has = [](const auto& flags, std::string_view flag) {
    return std::ranges::find(flags, flag) != flags.end();
  };
  if (has(x86, "avx512f")) return "avx512";
  if (has(x86, "avx2")) return "avx2";
  return has(split(value_of(cpuinfo, "Features"), ' '), "asimd") ? "neon" : "";
}

}  // namespace tacho
