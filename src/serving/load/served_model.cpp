#include "serving/load/served_model.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>

#include "base/file.h"
#include "base/signals.h"
#include "base/start_report.h"
#include "serving/load/target.h"

namespace tacho {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::string_view kRedis = "{redis}";
constexpr std::chrono::seconds kServerPatience{60};

// Returns a port that is free at the moment.
Result<std::uint16_t> free_port() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof place;
  auto* const address = reinterpret_cast<sockaddr*>(&place);  // NOLINT: required by the socket API
  if (!socket || ::bind(socket.get(), address, length) != 0 ||
      ::getsockname(socket.get(), address, &length) != 0) {
    return Error{ErrorCode::failed, "no port of 127.0.0.1 is free"};
  }
  return ntohs(place.sin_port);
}

// Polls until `ready`, or until the process ends or the time is up.
template <class Ready>
Result<void> await(Process& process, const fs::path& log, std::string_view what,
                   const Ready& ready) {
  const auto deadline = Clock::now() + kServerPatience;
  while (!ready()) {
    if (interrupts() > 0) return Error{ErrorCode::failed, "interrupted"};
    const bool gone = process.ends_within(20ms);
    if (!gone && Clock::now() < deadline) continue;
    const auto said = read_file(log);
    return Error{ErrorCode::failed,
                 fmt::format("{} {}: {}", what, gone ? "exited immediately" : "does not answer",
                             said.ok() ? *said : said.error().message)};
  }
  return {};
}

Result<std::unique_ptr<Process>> start_redis(std::uint16_t port, const fs::path& log) {
  TACHO_TRY(process,
            Process::start({.argv = {"redis-server", "--port", std::to_string(port), "--bind",
                                     "127.0.0.1", "--save", "", "--appendonly", "no"},
                            .output_file = log,
                            .own_group = true,
                            .dies_with_parent = true}));
  auto redis = std::make_unique<Process>(std::move(process));
  TACHO_CHECK(await(*redis, log, "redis-server", [&] {
    return load::find_server({.host = "127.0.0.1", .port = port, .path = ""}).ok();
  }));
  return redis;
}

void end_process(std::unique_ptr<Process>& process) {
  if (process == nullptr || process->status()) return;
  process->signal(SIGTERM);
  process->wait_for(5s);  // killed afterwards
  process.reset();
}

}  // namespace

std::string with_redis(std::string word, const std::string& place) {
  const std::size_t at = word.find(kRedis);
  if (at != std::string::npos) word.replace(at, kRedis.size(), place);
  return word;
}

Result<ServedModel> ServedModel::start(const fs::path& worker, const fs::path& run_folder,
                                       std::span<const std::string> words,
                                       const fs::path& scratch) {
  ServedModel served;
  TACHO_CHECK(make_folders(scratch));
  const fs::path log = scratch / "served-model.log";
  const fs::path redis_log = scratch / "redis.log";
  std::error_code ignored;
  fs::remove(log, ignored);
  std::vector<std::string> argv = {worker.string(), "infer", run_folder.string(), "--port", "0"};
  const bool wants_redis = std::ranges::any_of(
      words, [](const std::string& word) { return word.find(kRedis) != std::string::npos; });
  std::string place;
  if (wants_redis) {
    TACHO_TRY(port, free_port());
    TACHO_TRY(redis, start_redis(port, redis_log));
    served.redis_ = std::move(redis);
    place = fmt::format("redis://127.0.0.1:{}", port);
  }
  for (const std::string& word : words) argv.push_back(with_redis(word, place));
  Command command{.argv = argv, .output_file = log, .own_group = true, .dies_with_parent = true};
  TACHO_TRY(pipe, StartReportPipe::open());
  pipe.add_to(command);
  TACHO_TRY(process, Process::start(command));
  served.worker_ = std::make_unique<Process>(std::move(process));
  TACHO_TRY(port, pipe.read("port", kServerPatience).in("tacho-worker, see " + log.string()));
  served.url_ = fmt::format("http://127.0.0.1:{}/", port);
  return served;
}

ServedModel::~ServedModel() {
  end_process(worker_);
  end_process(redis_);
}

}  // namespace tacho
