// Measures the cost of launching: many tasks of /bin/true with the local launcher, submitted one by
// one as in a sweep, compared with a shell's loop over the same program.
//   launch_bench [TASKS]        default: 10,000
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "machine/launch/open_launcher.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::int64_t resident_kib() {
  const auto status = read_file("/proc/self/status");
  const auto at = status.ok() ? status->find("VmRSS:") : std::string::npos;
  return at == std::string::npos ? 0 : std::atoll(status->c_str() + at + 6);
}

Result<void> launch_all(Launcher& launcher, int count, const std::filesystem::path& log) {
  std::vector<std::string> going;
  int next = 0;
  int done = 0;
  while (done < count) {
    TACHO_TRY(room, launcher.room({}));
    for (; room > 0 && next < count; --room, ++next) {
      const std::string name = fmt::format("b{}", next);
      const Task task{.key = name, .command = {.argv = {"/bin/true"}}, .log = log};
      TACHO_CHECK(launcher.submit(name, std::span(&task, 1)));
      going.push_back(name);
    }
    launcher.wait(std::chrono::milliseconds(100));
    for (std::size_t i = 0; i < going.size();) {
      TACHO_TRY(updates, launcher.poll(going[i]));
      if (updates.front().state != TaskState::ended) {
        ++i;
        continue;
      }
      if (!updates.front().status->success())
        return Error{ErrorCode::failed, updates.front().reason};
      TACHO_CHECK(launcher.forget(going[i]));
      going.erase(going.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
    }
  }
  return {};
}

Result<void> run(int count) {
  const ScratchFolder folder;
  TACHO_TRY(launcher, open_launcher(LauncherKind::local, {.folder = folder.path()}));
  TACHO_TRY(slots, launcher->room({}));
  TACHO_CHECK(launch_all(*launcher, 100, folder.path() / "log"));  // warm-up
  const std::int64_t before = resident_kib();
  auto start = Clock::now();
  TACHO_CHECK(launch_all(*launcher, count, folder.path() / "log"));
  const double own = milliseconds_since(start) / count;
  const std::int64_t grown = resident_kib() - before;

  start = Clock::now();
  const std::string loop =
      fmt::format("i=0; while [ $i -lt {} ]; do /bin/true >>{} 2>&1; i=$((i+1)); done", count,
                  (folder.path() / "log").string());
  TACHO_TRY(shell, capture({{"sh", "-c", loop}}, std::chrono::minutes(10)));
  if (!shell.status.success()) return Error{ErrorCode::failed, "the shell's loop failed"};
  const double peer = milliseconds_since(start) / count;

  fmt::print("{} tasks of /bin/true on {} slots: {:.3f} ms per task, memory grew by {} KiB\n",
             count, slots, own, grown);
  fmt::print("the same in a loop of sh: {:.3f} ms; ratio {:.2f}\n", peer, own / peer);
  return {};
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10000;
  if (count <= 0) {
    fmt::print(stderr, "usage: launch_bench [TASKS]\n");
    return 2;
  }
  const auto done = tacho::run(count);
  if (done.ok()) return 0;
  fmt::print(stderr, "launch_bench: {}\n", done.error().message);
  return 1;
}
