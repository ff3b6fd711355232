#include "base/start_report.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "base/file.h"

namespace tacho {
namespace {

// Makes a pipe, hands its write end over, and returns its read end.
UniqueFd asked_for_report() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::setenv(kStartReportVariable, std::to_string(ends[1]).c_str(), 1);
  take_start_report();
  return UniqueFd(ends[0]);
}

std::string all_of(const UniqueFd& pipe) {
  std::array<char, 256> bytes{};
  std::string text;
  for (ssize_t count = 1; count > 0;) {
    count = ::read(pipe.get(), bytes.data(), bytes.size());
    if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return text;
}

TEST(StartReport, IsTheFirstOne) {
  const UniqueFd pipe = asked_for_report();
  EXPECT_EQ(std::getenv(kStartReportVariable), nullptr);
  report_started("run", 12);
  report_started("run", 13);
  report_start_error({ErrorCode::failed, "later"});
  EXPECT_EQ(all_of(pipe), "{\"run\":12}\n");
}

TEST(StartReport, MayBeAnError) {
  const UniqueFd pipe = asked_for_report();
  report_start_error({ErrorCode::usage, "no model named"});
  EXPECT_EQ(all_of(pipe), "{\"error\":\"no model named\"}\n");
}

TEST(StartReport, ItsReaderMayBeGone) {
  asked_for_report().reset();
  report_started("run", 1);  // without a signal
}

TEST(StartReport, IsNotSentIfNobodyAsked) { report_started("run", 1); }

// Runs a script that reports on the descriptor $fd.
Result<std::int64_t> reported_by(const std::string& script) {
  auto pipe = StartReportPipe::open();
  EXPECT_TRUE(pipe.ok());
  Command command{.argv = {"sh", "-c", "fd=$" + std::string(kStartReportVariable) + "; " + script}};
  pipe->add_to(command);
  auto process = Process::start(command);
  EXPECT_TRUE(process.ok());
  auto report = pipe->read("run", std::chrono::seconds(60));
  process->wait();
  return report;
}

TEST(StartReportPipe, ReadsTheNumber) {
  const auto id = reported_by(R"(echo '{"run": 12}' > /proc/self/fd/$fd)");
  ASSERT_TRUE(id.ok()) << id.error().message;
  EXPECT_EQ(*id, 12);
}

TEST(StartReportPipe, ReturnsTheReportedError) {
  EXPECT_EQ(reported_by(R"(echo '{"error": "no model"}' > /proc/self/fd/$fd)").error().message,
            "no model");
}

TEST(StartReportPipe, SaysThatAProgramEndedWithoutAReport) {
  EXPECT_EQ(reported_by("exit 3").error().message, "it did not start");
  EXPECT_FALSE(reported_by(R"(echo nonsense > /proc/self/fd/$fd)").ok());
}

}  // namespace
}  // namespace tacho
