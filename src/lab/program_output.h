#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "listen/output_lines.h"
#include "record/event.h"

namespace tacho {

// What a watched program prints: passed on to where the user would have seen it, kept in a file,
// and listened to. Where the user's end is a terminal the program gets one as well, so that it
// colours, draws bars and flushes its lines as it always does.
class ProgramOutput {
 public:
  struct Options {
    std::filesystem::path log;
    bool echo = true;
  };
  static Result<ProgramOutput> open(const Options& options);

  // For the program; gone after started().
  [[nodiscard]] int out() const { return streams_[0].theirs.get(); }
  [[nodiscard]] int err() const { return streams_[1].theirs.get(); }
  void started();

  // Passes on what comes until `other` becomes readable or `time` is over.
  void pump(int other, std::chrono::milliseconds time);
  // What is still there. A process that outlives the program may keep a stream open for ever.
  void finish();

  std::vector<FiguresSeen> take_figures() { return std::exchange(figures_, {}); }
  // The last words, for the reason of a bad end.
  [[nodiscard]] const std::string& tail() const { return tail_; }
  // Why the log holds less than was printed; "" if it does not.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Stream {
    int to = -1;  // where the user reads; -1: nowhere
    bool terminal = false;
    UniqueFd ours;
    UniqueFd theirs;
    OutputLines lines;
  };
  ProgramOutput() = default;
  static Result<Stream> make_stream(int to, bool echo);
  // Bytes; nothing: no more will come.
  std::optional<std::size_t> take(Stream& stream);
  void keep(std::string_view bytes);

  std::vector<Stream> streams_;
  UniqueFd log_;
  std::vector<FiguresSeen> figures_;
  std::string tail_;
  std::string problem_;
};

}  // namespace tacho
