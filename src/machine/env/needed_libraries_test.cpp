#include "machine/env/needed_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTwoPrograms =
    "/opt/tacho:\n"
    "\tlinux-vdso.so.1 (0x00007ffd7a3f2000)\n"
    "\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f1)\n"
    "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f2)\n"
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007f3)\n"
    "/opt/tacho-worker:\n"
    "\tlibtorch.so => /opt/a torch (new)/libtorch.so (0x00007f4)\n"
    "\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f1)\n"
    "\tld-linux-x86-64.so.2 => /lib64/ld-linux-x86-64.so.2 (0x00007f3)\n"
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007f3)\n";

TEST(NeededLibraries, AreParsedFromLddWithoutDuplicates) {
  const auto needed = parse_needed_libraries(kTwoPrograms);
  ASSERT_TRUE(needed.ok()) << needed.error().message;
  EXPECT_EQ(needed->loader, "/lib64/ld-linux-x86-64.so.2");
  EXPECT_THAT(needed->libraries,
              ElementsAre(NeededLibrary{"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"},
                          NeededLibrary{"libtorch.so", "/opt/a torch (new)/libtorch.so"},
                          NeededLibrary{"libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1"}));
}

TEST(NeededLibraries, ReportsAMissingLibrary) {
  const auto needed = parse_needed_libraries("\tlibfmt.so.9 => not found\n");
  ASSERT_FALSE(needed.ok());
  EXPECT_EQ(needed.error().message,
            "library libfmt.so.9 is not on this machine; install its package");
}

TEST(NeededLibraries, OfThisProgramAreFiles) {
  const auto needed = find_needed_libraries({std::filesystem::read_symlink("/proc/self/exe")});
  ASSERT_TRUE(needed.ok()) << needed.error().message;
  EXPECT_TRUE(std::filesystem::exists(needed->loader));
  for (const NeededLibrary& library : needed->libraries) {
    EXPECT_TRUE(std::filesystem::exists(library.file)) << library.file;
  }
}

TEST(NeededLibraries, AMissingProgramIsAnError) {
  const auto needed = find_needed_libraries({"/not/there"});
  ASSERT_FALSE(needed.ok());
  EXPECT_THAT(needed.error().message, HasSubstr("/not/there"));
}

TEST(NeededLibraries, RecognisesPartsOfTheCLibrary) {
  for (const char* name : {"libc.so.6", "libm.so.6", "libpthread.so.0"}) {
    EXPECT_TRUE(is_of_c_library(name)) << name;
  }
  for (const char* name : {"libcrypto.so.3", "libmd.so.0", "libstdc++.so.6", "libdlib.so"}) {
    EXPECT_FALSE(is_of_c_library(name)) << name;
  }
}

}  // namespace
}  // namespace tacho
