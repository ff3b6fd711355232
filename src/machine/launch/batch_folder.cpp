#include "machine/launch/batch_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <random>

#include "base/parse_number.h"
#include "machine/launch/task_list.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

fs::path numbered(const fs::path& folder, std::size_t index, const char* ending = "") {
  return folder / (std::to_string(index) + ending);
}

bool is_there(const fs::path& path) {
  std::error_code problem;
  return fs::exists(path, problem);
}

std::string new_name(const std::string& batch) {
  std::random_device source;
  return fmt::format("tacho-{}-{:08x}", batch, source());
}

fs::path list_in(const fs::path& folder) { return folder / "tasks.jsonl"; }

}  // namespace

bool BatchFolder::exists() const { return is_there(list_in(path_)); }

Result<void> BatchFolder::create(std::span<const Task> tasks) const {
  TACHO_TRY(lines, write_tasks(tasks));
  for (const char* folder : {"ended", "cancelled", "locks", "taken"})
    TACHO_CHECK(make_folders(path_ / folder));
  TACHO_CHECK(write_file_atomically(path_ / "name", new_name(path_.filename().string()) + "\n"));
  return write_file_atomically(list_in(path_), lines);
}

Result<std::string> BatchFolder::name() const {
  TACHO_TRY(text, read_file(path_ / "name"));
  return text.substr(0, text.find('\n'));
}

Result<Task> BatchFolder::task(std::size_t index) const {
  TACHO_TRY(lines, read_file(list_in(path_)));
  return read_task(lines, index).in(list_in(path_).string());
}

Result<std::vector<std::string>> BatchFolder::keys() const {
  TACHO_TRY(lines, read_file(list_in(path_)));
  return read_keys(lines).in(list_in(path_).string());
}

std::optional<std::string> BatchFolder::job() const {
  const auto text = read_file(path_ / "job");
  if (!text.ok() || text->empty()) return std::nullopt;
  return text->substr(0, text->find('\n'));
}

Result<void> BatchFolder::set_job(const std::string& job) const {
  return write_file_atomically(path_ / "job", job + "\n");
}

Result<std::optional<TaskStatus>> BatchFolder::status(std::size_t index) const {
  const fs::path file = numbered(ended_folder(), index, ".json");
  const auto text = read_file(file);
  if (!text.ok() && text.error().code == ErrorCode::not_found) return std::optional<TaskStatus>();
  if (!text.ok()) return text.error();
  TACHO_TRY(status, read_status(*text).in(file.string()));
  return std::optional(status);
}

Result<void> BatchFolder::set_status(std::size_t index, const TaskStatus& status) const {
  const fs::path file = numbered(ended_folder(), index, ".json");
  // Unlike a rename, a link fails if the name exists.
  std::random_device random;
  const fs::path temporary =
      ended_folder() / fmt::format(".{}-{:08x}{:08x}", index, random(), random());
  TACHO_CHECK(write_file_atomically(temporary, write_status(status)));
  const bool linked = ::link(temporary.c_str(), file.c_str()) == 0 || errno == EEXIST;
  const int error = errno;
  ::unlink(temporary.c_str());
  if (linked) return {};
  return system_error(file, error);
}

Result<void> BatchFolder::set_taker(std::size_t index, const std::string& name) const {
  return write_file_atomically(numbered(path_ / "taken", index), name);
}

std::map<std::string, std::size_t> BatchFolder::takers() const {
  std::map<std::string, std::size_t> takers;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(path_ / "taken", problem)) {
    const auto index = parse_number<std::size_t>(entry.path().filename().string());
    const auto name = read_file(entry.path());
    if (index && name.ok()) takers[*name] = *index;
  }
  return takers;
}

Result<void> BatchFolder::mark_cancelled(std::size_t index) const {
  return write_file_atomically(numbered(path_ / "cancelled", index), "");
}

bool BatchFolder::is_cancelled(std::size_t index) const {
  return is_there(numbered(path_ / "cancelled", index));
}

Result<FileLock> BatchFolder::lock(std::size_t index) const {
  return FileLock::take(numbered(path_ / "locks", index), FileLock::Kind::exclusive);
}

Result<void> BatchFolder::remove() const {
  std::error_code problem;
  // The task list first: without it, the rest is not a batch.
  fs::remove(list_in(path_), problem);
  fs::remove_all(path_, problem);
  if (problem) return system_error(path_, problem.value());
  return {};
}

}  // namespace tacho
