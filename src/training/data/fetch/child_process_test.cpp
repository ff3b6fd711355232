#include "training/data/fetch/child_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <new>

namespace tacho {
namespace {

TEST(RunInChild, ReturnsTheResult) {
  const std::string long_text(1 << 20, 'x');
  EXPECT_EQ(*run_in_child([&] { return long_text; }), long_text);
  EXPECT_EQ(*run_in_child([] { return std::string(); }), "");
}

TEST(RunInChild, SurvivesACrash) {
  EXPECT_EQ(run_in_child([]() -> std::string { std::abort(); }).error().message, "damaged");
  EXPECT_EQ(run_in_child([]() -> std::string { throw std::bad_alloc(); }).error().message,
            "damaged");
  EXPECT_EQ(run_in_child([]() -> std::string {
              std::raise(SIGKILL);
              return "";
            })
                .error()
                .code,
            ErrorCode::invalid);
}

TEST(RunInChild, LimitsTheOutput) {
  EXPECT_EQ(run_in_child([] { return std::string(65 << 20, 'x'); }).error().message,
            "contains too much data");
}

}  // namespace
}  // namespace tacho
