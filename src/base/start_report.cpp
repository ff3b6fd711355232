#include "base/start_report.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "base/json_object.h"
#include "base/parse_number.h"
#include "base/signals.h"

namespace tacho {
namespace {

struct StartReport {
  std::mutex mutex;
  UniqueFd pipe;
};

StartReport& the_report() {
  static StartReport report;
  return report;
}

using Clock = std::chrono::steady_clock;

// Reads until the end of a line, the end of the pipe, the deadline or Ctrl-C.
std::string line_from(int pipe, Clock::time_point deadline) {
  const int before = interrupts();
  std::string line;
  while (!line.ends_with('\n') && Clock::now() < deadline && interrupts() == before) {
    constexpr int kBetweenChecksMs = 100;
    pollfd one{pipe, POLLIN, 0};
    if (::poll(&one, 1, kBetweenChecksMs) <= 0) continue;
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    line.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return line;
}

void send(const Json& json) {
  StartReport& report = the_report();
  const std::lock_guard lock(report.mutex);
  if (!report.pipe) return;
  // The reader may be gone; nobody else needs the report.
  static_cast<void>(write_all(report.pipe.get(), json_text(json) + "\n", "pipe"));
  report.pipe.reset();
}

}  // namespace

void take_start_report() {
  const char* text = std::getenv(kStartReportVariable);
  if (text == nullptr) return;
  const int fd = parse_number<int>(text).value_or(-1);
  ::unsetenv(kStartReportVariable);
  if (fd <= 2 || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return;
  outlive_readers();  // the process that started this one may end first
  the_report().pipe = UniqueFd(fd);
}

void report_started(std::string_view kind, std::int64_t id) { send({{kind, id}}); }

void report_start_error(const Error& error) { send({{"error", error.message}}); }

Result<StartReportPipe> StartReportPipe::open() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error{ErrorCode::io, "no pipe can be made"};
  StartReportPipe pipe;
  pipe.reading_ = UniqueFd(ends[0]);
  pipe.writing_ = UniqueFd(ends[1]);
  return pipe;
}

void StartReportPipe::add_to(Command& command) const {
  command.environment[kStartReportVariable] = std::to_string(writing_.get());
  command.inherited.push_back(writing_.get());
}

Result<std::int64_t> StartReportPipe::read(std::string_view kind, std::chrono::seconds timeout) {
  writing_.reset();
  const std::string line = line_from(reading_.get(), Clock::now() + timeout);
  if (line.empty()) {
    return Error{ErrorCode::failed, "it did not start"};
  }
  TACHO_TRY(report, parse_json(line).in("start report"));
  if (const auto error = report.find("error"); error != report.end() && error->is_string()) {
    return Error{ErrorCode::invalid, error->get<std::string>()};
  }
  JsonObject object(report, "start report");
  std::int64_t id = 0;
  object.read(kind, id);
  TACHO_CHECK(object.finish());
  return id;
}

}  // namespace tacho
