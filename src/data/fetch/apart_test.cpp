#include "data/fetch/apart.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <new>

namespace tacho {
namespace {

TEST(RunApart, GivesWhatTheWorkReturns) {
  const std::string long_text(1 << 20, 'x');
  EXPECT_EQ(*run_apart([&] { return long_text; }), long_text);
  EXPECT_EQ(*run_apart([] { return std::string(); }), "");
}

TEST(RunApart, SurvivesWorkThatDoesNotEndWell) {
  EXPECT_EQ(run_apart([]() -> std::string { std::abort(); }).error().message, "damaged");
  EXPECT_EQ(run_apart([]() -> std::string { throw std::bad_alloc(); }).error().message, "damaged");
  EXPECT_EQ(run_apart([]() -> std::string {
              std::raise(SIGKILL);
              return "";
            })
                .error()
                .code,
            ErrorCode::invalid);
}

TEST(RunApart, ListensOnlySoLong) {
  EXPECT_EQ(run_apart([] { return std::string(65 << 20, 'x'); }).error().message,
            "holds more than makes sense");
}

}  // namespace
}  // namespace tacho
