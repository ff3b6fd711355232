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
#include "serve/detached_command.h"
#include "serve/run_json.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;

const std::atomic<int> kNoInterrupts = 0;

// Parses the number that follows `mark`.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + mark.size());
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) return std::nullopt;
  return number;
}

int parent_of(int pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  if (!stat.ok()) return 0;
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos || name_end + 4 > stat->size()) return 0;
  return static_cast<int>(
      number_after(std::string_view(*stat).substr(name_end + 3), " ").value_or(0));
}

// True if the process has `file` open and took the shared lock on it itself, as the processes of a
// run do. A process that only reads or inherited the file does not count, nor does a lock on the
// same file under another name.
bool holds_lock(int pid, const fs::path& file) {
  const fs::path process = fmt::format("/proc/{}", pid);
  std::error_code hidden;  // processes of other users
  for (fs::directory_iterator fd(process / "fd", hidden), none; !hidden && fd != none;
       fd.increment(hidden)) {
    std::error_code closed;
    if (fs::read_symlink(fd->path(), closed) != file || closed) continue;
    // "lock:	1: FLOCK  ADVISORY  READ 4711 00:2e:123 0 EOF"
    const auto facts = read_file(process / "fdinfo" / fd->path().filename(), Bytes{1 << 16});
    if (!facts.ok() || facts->find("lock:") == std::string::npos) continue;
    if (number_after(*facts, "READ ") == pid) return true;
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

Result<RunSettings> settings_from_json(const Json& json) {
  JsonObject object(json, "the request");
  RunSettings settings;
  std::optional<Error> wrong;
  for (const RunOption& option : run_options()) {
    if (option.is(kLocal)) continue;
    const std::string key = option.api_key();
    const Json* value = object.part(key, option.name == "model" || option.name == "data");
    if (value == nullptr) continue;
    if (value->is_string()) {
      settings.emplace_back(option.name, value->get<std::string>());
    } else if (value->is_number() || value->is_boolean()) {
      settings.emplace_back(option.name, json_text(*value));
    } else if (!wrong) {
      wrong = Error{ErrorCode::invalid,
                    fmt::format("the request: {} must be a number, a string, true or false", key)};
    }
  }
  TACHO_CHECK(object.finish());
  if (wrong) return *wrong;
  return settings;
}

Json job_properties() {
  constexpr auto type_of = [](OptionType type) {
    switch (type) {
      case OptionType::flag:
        return "boolean";
      case OptionType::integer:
        return "integer";
      case OptionType::number:
        return "number";
      case OptionType::choice:
      case OptionType::text:
        break;
    }
    return "string";
  };
  Json properties = Json::object();
  for (const RunOption& option : run_options()) {
    if (option.is(kLocal)) continue;
    Json& property = properties[option.api_key()];
    property = {{"type", type_of(option.type)}, {"description", option.help}};
    if (!option.choices.empty()) property["enum"] = option.choices;
  }
  return properties;
}

Answer RunControl::start(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(json, body_of(request));
  TACHO_TRY(settings, settings_from_json(json));
  TACHO_CHECK(train_request(settings));
  TACHO_TRY(slot, slots_.take());
  if (!slot) return slots_.refusal();
  TACHO_TRY(id,
            start_detached(
                {program_, home_, {"train", "--settings", json_text(Json(settings))}, {slot.get()}},
                "run"));
  TACHO_TRY(store, stores_.take());
  return run_answer(*store, std::to_string(id), 201);
}

std::vector<int> run_processes(const RunFolder& folder) {
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
  const auto processes = run_processes(folder);
  // Opens the pidfd before the second check, so that a process that reused the number is not
  // signalled.
  const UniqueFd process(
      processes.empty() ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, processes.front(), 0)));
  const auto still = process ? run_processes(folder) : std::vector<int>();
  if (std::ranges::find(still, processes.empty() ? 0 : processes.front()) == still.end()) {
    return http::problem(409, fmt::format("run {} is not running on this machine", run.row.id));
  }
  ::syscall(SYS_pidfd_send_signal, process.get(), SIGINT, nullptr, 0);
  return json_answer({{"id", run.row.id}, {"cancel_requested", true}}, 202);
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
                 fmt::format("there is no folder '{}' in {}; use 'tacho runs ingest' for folders "
                             "elsewhere",
                             name, (home_ / "runs").string())};
  }
  TACHO_TRY(store, stores_.take());
  TACHO_TRY(run, Lab(home_, *store, kNoInterrupts).ingest(folder));
  return run_answer(*store, std::to_string(run.id), 201);
}

Result<void> RunControl::reconcile() {
  TACHO_TRY(store, stores_.take());
  return Lab(home_, *store, kNoInterrupts).reconcile();
}

}  // namespace tacho::serve
