#include "serve/errand.h"

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

constexpr std::chrono::seconds kPatience{60};

// A file that was opened, and is gone from its folder with this object.
class ShortFile {
 public:
  explicit ShortFile(fs::path path) : path_(std::move(path)) {}
  ShortFile(const ShortFile&) = delete;
  ShortFile& operator=(const ShortFile&) = delete;
  ~ShortFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What stands behind the last "tacho: "; nothing before its line is whole.
std::optional<std::string> complaint_in(const std::string& said) {
  constexpr std::string_view kMark = "tacho: ";
  const std::size_t at = said.rfind(kMark);
  if (at == std::string::npos || !said.ends_with('\n')) return std::nullopt;
  const std::string line = said.substr(at + kMark.size());
  return line.substr(0, line.find('\n'));
}

}  // namespace

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + mark.size());
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) return std::nullopt;
  return number;
}

Result<std::int64_t> begin_errand(const Errand& errand, const NumberIn& number_in) {
  TACHO_CHECK(make_folders(errand.home));
  const ShortFile said(errand.home / ("started-" + new_run_key() + ".log"));
  // Through setsid, which starts it and ends: it is no child of this server's.
  std::vector<std::string> argv = {"setsid", "--fork", errand.program.string()};
  argv.insert(argv.end(), errand.words.begin(), errand.words.end());
  TACHO_TRY(launcher, Process::start({.argv = std::move(argv),
                                      .environment = {{"TACHO_HOME", errand.home.string()}},
                                      .output_file = said.path(),
                                      .inherited = errand.inherited}));
  (void)launcher.wait();
  // It writes to a file that is then gone, so nothing is left of what it says afterwards: the store
  // and the run's folder have it all.
  const auto deadline = Clock::now() + kPatience;
  while (Clock::now() < deadline) {
    TACHO_TRY(text, read_file(said.path()));
    const auto number = number_in(text);
    if (number && text.find('\n') != std::string::npos) return *number;
    if (auto complaint = complaint_in(text)) return Error{ErrorCode::invalid, *complaint};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return Error{ErrorCode::failed, "tacho " + errand.words.front() + " did not begin in a minute"};
}

}  // namespace tacho::serve
