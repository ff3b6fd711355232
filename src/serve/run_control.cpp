#include "serve/run_control.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <set>

#include "base/confined_file.h"
#include "http/problem.h"
#include "lab/lab.h"
#include "lab/run_state.h"
#include "serve/errand.h"
#include "serve/run_json.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;

const std::atomic<int> kNoInterrupts = 0;

// What a page may ask of a run. More can be said on the command line.
constexpr std::array<std::string_view, 12> kOptions = {
    "data",    "batch",     "epochs", "steps",         "lr",          "optimizer", "seed",
    "threads", "precision", "device", "train-samples", "eval-samples"};

int parent_of(int pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  if (!stat.ok()) return 0;
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos || name_end + 4 > stat->size()) return 0;
  return static_cast<int>(
      number_behind(std::string_view(*stat).substr(name_end + 3), " ").value_or(0));
}

// Whether the process has `file` open and has taken the lock on it itself, shared, as everyone does
// who works on a run. One who merely looks at it, or who inherited it, does not count, nor does who
// holds the same file under another name.
bool holds_lock(int pid, const fs::path& file) {
  const fs::path process = fmt::format("/proc/{}", pid);
  std::error_code hidden;  // other people's
  for (fs::directory_iterator fd(process / "fd", hidden), none; !hidden && fd != none;
       fd.increment(hidden)) {
    std::error_code closed;
    if (fs::read_symlink(fd->path(), closed) != file || closed) continue;
    // "lock:	1: FLOCK  ADVISORY  READ 4711 00:2e:123 0 EOF"
    const auto facts = read_file(process / "fdinfo" / fd->path().filename(), Bytes{1 << 16});
    if (!facts.ok() || facts->find("lock:") == std::string::npos) continue;
    if (number_behind(*facts, "READ ") == pid) return true;
  }
  return false;
}

Answer run_answer(RunStore& store, const std::string& handle, int status) {
  TACHO_TRY(run, store.find(handle));
  std::string json;
  append_run(json, run.row);
  http::Response response = text_answer(std::move(json), "application/json");
  response.status = status;
  response.headers.emplace_back("Location", fmt::format("/api/v1/runs/{}", run.row.id));
  return response;
}

}  // namespace

Result<std::vector<std::string>> train_words(const Json& json) {
  JsonObject object(json, "the request");
  std::string model;
  object.read("model", model);
  std::vector<std::string> words = {"train"};
  std::optional<Error> wrong;
  for (const std::string_view option : kOptions) {
    std::string key(option);
    std::ranges::replace(key, '-', '_');
    const Json* value = object.part(key, option == "data");
    if (value == nullptr) continue;
    if (value->is_string()) {
      words.push_back(fmt::format("--{}={}", option, value->get<std::string>()));
    } else if (value->is_number()) {
      words.push_back(fmt::format("--{}={}", option, json_text(*value)));
    } else if (!wrong) {
      wrong =
          Error{ErrorCode::invalid, fmt::format("the request: {} must be a number or a word", key)};
    }
  }
  TACHO_CHECK(object.finish());
  if (wrong) return *wrong;
  words.push_back("--");
  words.push_back(model);
  return words;
}

Answer RunControl::start(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(json, body_of(request));
  TACHO_TRY(words, train_words(json));
  TACHO_TRY(slot, slots_.take());
  if (!slot) return slots_.refusal();
  TACHO_TRY(id, begin_errand({program_, home_, std::move(words), {slot.get()}},
                             [](const std::string& said) { return number_behind(said, "run "); }));
  TACHO_TRY(store, stores_.take());
  return run_answer(*store, std::to_string(id), 201);
}

std::vector<int> processes_at_work(const RunFolder& folder) {
  std::error_code failure;
  const fs::path file = fs::canonical(folder.path(), failure) / folder.lock().filename();
  if (failure || !open_confined(folder.path(), folder.lock()).ok()) return {};
  std::set<int> holders;
  for (fs::directory_iterator process("/proc", failure), end; !failure && process != end;
       process.increment(failure)) {
    const std::string name = process->path().filename().string();
    int pid = 0;
    const auto [stop, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc() || stop != name.data() + name.size() || pid == ::getpid()) continue;
    if (holds_lock(pid, file)) holders.insert(pid);
  }
  std::vector<int> order(holders.begin(), holders.end());
  std::stable_partition(order.begin(), order.end(),
                        [&](int pid) { return !holders.contains(parent_of(pid)); });
  return order;
}

Answer RunControl::cancel(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(store, stores_.take());
  TACHO_TRY(run, store->find(request.part("run")));
  const RunFolder folder(run.row.folder);
  const auto processes = processes_at_work(folder);
  // The handle is taken before the second look, so that a number used again for another process is
  // not signalled.
  const UniqueFd process(
      processes.empty() ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, processes.front(), 0)));
  const auto still = process ? processes_at_work(folder) : std::vector<int>();
  if (std::ranges::find(still, processes.empty() ? 0 : processes.front()) == still.end()) {
    return http::problem(409, fmt::format("nobody on this machine works on run {}, so there is "
                                          "nothing to stop",
                                          run.row.id));
  }
  ::syscall(SYS_pidfd_send_signal, process.get(), SIGINT, nullptr, 0);
  return json_answer({{"id", run.row.id}, {"asked_to_stop", true}}, 202);
}

Answer RunControl::ingest(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(json, body_of(request));
  JsonObject object(json, "the request");
  std::string name;
  object.read("folder", name);
  TACHO_CHECK(object.finish());
  std::error_code failure;
  const fs::path runs = fs::canonical(home_ / "runs", failure);
  const fs::path folder = failure ? fs::path() : fs::canonical(runs / name, failure);
  if (failure || folder.parent_path() != runs) {
    return Error{ErrorCode::not_found,
                 fmt::format("'{}' is no folder of {}; 'tacho runs ingest' takes those from "
                             "elsewhere",
                             name, (home_ / "runs").string())};
  }
  TACHO_TRY(store, stores_.take());
  TACHO_TRY(run, Lab(home_, *store, kNoInterrupts).ingest(folder));
  return run_answer(*store, std::to_string(run.id), 201);
}

Result<void> RunControl::settle() {
  TACHO_TRY(store, stores_.take());
  return Lab(home_, *store, kNoInterrupts).reconcile();
}

}  // namespace tacho::serve
