#include "serve/detached_command.h"

#include <charconv>
#include <chrono>
#include <thread>

#include "base/file.h"
#include "base/subprocess.h"
#include "record/run_folder.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartTimeout{60};

// Removes the file at its end.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Returns the text after the last "tacho: " once its line is complete.
std::optional<std::string> error_in(const std::string& output) {
  constexpr std::string_view kMark = "tacho: ";
  const std::size_t at = output.rfind(kMark);
  if (at == std::string::npos || !output.ends_with('\n')) return std::nullopt;
  const std::string line = output.substr(at + kMark.size());
  return line.substr(0, line.find('\n'));
}

}  // namespace

std::optional<std::int64_t> number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + mark.size());
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) return std::nullopt;
  return number;
}

Result<std::int64_t> start_detached(const DetachedCommand& command, const NumberIn& number_in) {
  TACHO_CHECK(make_folders(command.home));
  const TemporaryFile log(command.home / ("started-" + new_run_key() + ".log"));
  // setsid forks and exits, so the command is not a child of this server.
  std::vector<std::string> argv = {"setsid", "--fork", command.program.string()};
  argv.insert(argv.end(), command.words.begin(), command.words.end());
  TACHO_TRY(launcher, Process::start({.argv = std::move(argv),
                                      .environment = {{"TACHO_HOME", command.home.string()}},
                                      .output_file = log.path(),
                                      .inherited = command.inherited}));
  (void)launcher.wait();
  // The output file is removed when this function returns; later output is in the store and in the
  // run's folder.
  const auto deadline = Clock::now() + kStartTimeout;
  while (Clock::now() < deadline) {
    TACHO_TRY(text, read_file(log.path()));
    const auto number = number_in(text);
    if (number && text.find('\n') != std::string::npos) return *number;
    if (auto error = error_in(text)) return Error{ErrorCode::invalid, *error};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return Error{ErrorCode::failed,
               "tacho " + command.words.front() + " did not start within a minute"};
}

}  // namespace tacho::serve
