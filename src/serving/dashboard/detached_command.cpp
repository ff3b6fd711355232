#include "serving/dashboard/detached_command.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>

#include "base/file.h"
#include "base/json_object.h"
#include "base/start_report.h"
#include "base/subprocess.h"

namespace tacho::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartTimeout{60};

// Reads until the end of a line, the end of the pipe or the deadline.
std::string line_from(int pipe, Clock::time_point deadline) {
  std::string line;
  while (!line.ends_with('\n')) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd one{pipe, POLLIN, 0};
    if (left.count() <= 0) break;
    const int ready = ::poll(&one, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    line.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return line;
}

}  // namespace

Result<std::int64_t> start_detached(const DetachedCommand& command, std::string_view kind) {
  TACHO_CHECK(make_folders(command.home));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error{ErrorCode::io, "no pipe can be made"};
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  // setsid forks and exits, so the command is not a child of this server.
  std::vector<std::string> argv = {"setsid", "--fork", command.program.string()};
  argv.insert(argv.end(), command.words.begin(), command.words.end());
  std::vector<int> inherited = command.inherited;
  inherited.push_back(writing.get());
  TACHO_TRY(launcher,
            Process::start({.argv = std::move(argv),
                            .environment = {{"TACHO_HOME", command.home.string()},
                                            {kStartReportVariable, std::to_string(writing.get())}},
                            .output_file = "/dev/null",  // the run's folder has its output
                            .inherited = std::move(inherited)}));
  writing.reset();
  (void)launcher.wait();
  const std::string line = line_from(reading.get(), Clock::now() + kStartTimeout);
  const auto report = parse_json(line);
  if (!report.ok() || !report->is_object()) {
    return Error{ErrorCode::failed,
                 "tacho " + command.words.front() +
                     (line.empty() ? " did not start" : " gave no valid report")};
  }
  if (const auto error = report->find("error"); error != report->end() && error->is_string()) {
    return Error{ErrorCode::invalid, error->get<std::string>()};
  }
  JsonObject object(*report, "start report");
  std::int64_t id = 0;
  object.read(kind, id);
  TACHO_CHECK(object.finish());
  return id;
}

}  // namespace tacho::serve
