#include "experiments/runner/program_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/confined_file.h"

namespace tacho {
namespace {

constexpr std::size_t kTail = 4096;
// The maximum size of a pipe. A process that the program left behind may print forever.
constexpr std::size_t kMostLeft = 1 << 20;

void copy_window(int from, int to) {
  winsize size{};
  if (::ioctl(from, TIOCGWINSZ, &size) == 0) ::ioctl(to, TIOCSWINSZ, &size);
}

struct Pair {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<Pair> make_terminal(int like) {
  UniqueFd ours(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::array<char, 64> name{};
  if (!ours || ::grantpt(ours.get()) != 0 || ::unlockpt(ours.get()) != 0 ||
      ::ptsname_r(ours.get(), name.data(), name.size()) != 0) {
    return system_error("a terminal", errno);
  }
  UniqueFd theirs(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios mode{};
  if (!theirs || ::tcgetattr(theirs.get(), &mode) != 0) return system_error(name.data(), errno);
  // The user's terminal converts line ends.
  mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  ::tcsetattr(theirs.get(), TCSANOW, &mode);
  copy_window(like, theirs.get());
  return Pair{std::move(ours), std::move(theirs)};
}

Result<Pair> make_pipe_pair() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("pipe", errno);
  return Pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

Result<ProgramOutput::Stream> ProgramOutput::make_stream(int to, bool echo) {
  Stream stream;
  stream.to = echo ? to : -1;
  stream.terminal = echo && ::isatty(to) == 1;
  TACHO_TRY(pair, stream.terminal ? make_terminal(to) : make_pipe_pair());
  stream.ours = std::move(pair.ours);
  stream.theirs = std::move(pair.theirs);
  // finish() must not wait for a process that prints nothing.
  ::fcntl(stream.ours.get(), F_SETFL, O_NONBLOCK);
  return stream;
}

Result<ProgramOutput> ProgramOutput::open(const Options& options) {
  ProgramOutput output;
  TACHO_TRY(log, open_confined(options.log.parent_path(), options.log.filename(),
                               O_WRONLY | O_CREAT | O_APPEND));
  output.log_ = std::move(log);
  output.clock_ = options.clock;
  for (const int to : {STDOUT_FILENO, STDERR_FILENO}) {
    TACHO_TRY(stream, make_stream(to, options.echo));
    output.streams_.push_back(std::move(stream));
  }
  return output;
}

void ProgramOutput::started() {
  for (Stream& stream : streams_) stream.theirs.reset();
}

void ProgramOutput::keep(std::string_view bytes) {
  tail_.append(bytes);
  if (tail_.size() > 2 * kTail) tail_.erase(0, tail_.size() - kTail);
  if (!log_) return;
  if (const auto kept = write_all(log_.get(), bytes, "its log"); !kept.ok()) {
    problem_ = "the log of the program's output is incomplete: " + kept.error().message;
    log_.reset();
  }
}

std::optional<std::size_t> ProgramOutput::take(Stream& stream) {
  std::array<char, 16384> buffer;
  const ssize_t got = ::read(stream.ours.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  // A terminal whose other end is closed returns EIO.
  if (got <= 0) return std::nullopt;
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
  // If the reader has exited (tacho run … | head), the run continues.
  if (stream.to >= 0 && !write_all(stream.to, bytes, "output").ok()) stream.to = -1;
  keep(bytes);
  const Seconds now(clock_.now());
  for (FiguresSeen& seen : stream.lines.feed(bytes)) figures_.push_back(std::move(seen));
  for (const StepNumber& number : stream.lines.take_numbers()) steps_.add(now, number);
  return bytes.size();
}

void ProgramOutput::pump(int other, std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    std::array<pollfd, 3> waited{pollfd{streams_[0].ours.get(), POLLIN, 0},
                                 pollfd{streams_[1].ours.get(), POLLIN, 0},
                                 pollfd{other, POLLIN, 0}};
    // Interrupted by a signal: the caller handles it.
    if (::poll(waited.data(), waited.size(), static_cast<int>(left.count())) < 0) return;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Stream& stream = streams_[i];
      if (stream.terminal && stream.ours) copy_window(stream.to, stream.ours.get());
      if (waited[i].revents != 0 && !take(stream)) stream.ours.reset();
    }
    if (waited[2].revents != 0) return;
  }
}

void ProgramOutput::finish() {
  for (Stream& stream : streams_) {
    std::size_t taken = 0;
    while (stream.ours && taken < kMostLeft) {
      pollfd more{stream.ours.get(), POLLIN, 0};
      if (::poll(&more, 1, 0) <= 0) break;
      const auto got = take(stream);
      if (!got) stream.ours.reset();
      taken += got.value_or(0);
    }
    for (FiguresSeen& seen : stream.lines.finish()) figures_.push_back(std::move(seen));
  }
}

}  // namespace tacho
