#include "machine/probe/cpu_name.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

std::string arm(std::string_view implementer, std::string_view part) {
  return fmt::format(
      "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: {}\nCPU architecture: 8\n"
      "CPU variant\t: 0x3\nCPU part\t: {}\nCPU revision\t: 1\n",
      implementer, part);
}

TEST(CpuName, IsTheModelNameIfThereIsOne) {
  EXPECT_EQ(cpu_name("processor\t: 0\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) Processor\n"),
            "Intel(R) Xeon(R) Processor");
}

TEST(CpuName, TranslatesArmNumbers) {
  EXPECT_EQ(cpu_name(arm("0x41", "0xd0c")), "Neoverse-N1");
  EXPECT_EQ(cpu_name(arm("0x41", "0xd40")), "Neoverse-V1");
  EXPECT_EQ(cpu_name(arm("0x41", "0xd49")), "Neoverse-N2");
  EXPECT_EQ(cpu_name(arm("0x41", "0xd4f")), "Neoverse-V2");
  EXPECT_EQ(cpu_name(arm("0x41", "0xd08")), "Cortex-A72");
  EXPECT_EQ(cpu_name(arm("0x41", "0xd0b")), "Cortex-A76");
  EXPECT_EQ(cpu_name(arm("0x61", "0x023")), "Apple M1");
  EXPECT_EQ(cpu_name(arm("0x61", "0x000")), "Apple");
}

TEST(CpuName, GivesTheNumbersOfAnUnknownPart) {
  EXPECT_EQ(cpu_name(arm("0x46", "0x001")), "ARM implementer 0x46 part 0x001");
}

TEST(CpuName, IsEmptyIfUnknown) { EXPECT_EQ(cpu_name(""), ""); }

TEST(VectorUnit, IsTheWidestOne) {
  EXPECT_EQ(vector_unit("flags\t\t: fpu avx avx2 avx512f\n"), "avx512");
  EXPECT_EQ(vector_unit("flags\t\t: fpu avx avx2\n"), "avx2");
  EXPECT_EQ(vector_unit("Features\t: fp asimd sve\n"), "neon");
  EXPECT_EQ(vector_unit("flags\t\t: fpu sse2\n"), "");
}

}  // namespace
}  // namespace tacho
