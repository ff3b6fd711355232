#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/run_clock.h"
#include "core/record/event.h"
#include "tracing/listen/output_lines.h"
#include "tracing/listen/printed_steps.h"

namespace tacho {

// The output of a watched program: forwards it to the user, writes it to a log, and extracts
// figures. If the user's end is a terminal, the program gets one too, so that it uses colors and
// progress bars and flushes lines as usual.
class ProgramOutput {
 public:
  struct Options {
    std::filesystem::path log;
    bool echo = true;
    RunClock clock = {};
  };
  static Result<ProgramOutput> open(const Options& options);

  // The program's ends; closed by started().
  [[nodiscard]] int out() const { return streams_[0].theirs.get(); }
  [[nodiscard]] int err() const { return streams_[1].theirs.get(); }
  void started();

  // Forwards output until `other` becomes readable or `time` has passed.
  void pump(int other, std::chrono::milliseconds time);
  // Reads what is still buffered. Does not wait for the end of the stream, because a process that
  // outlives the program may keep it open.
  void finish();

  std::vector<FiguresSeen> take_figures() { return std::exchange(figures_, {}); }
  [[nodiscard]] std::optional<StepsFound> steps() const { return steps_.find(); }
  // The end of the output, for error messages.
  [[nodiscard]] const std::string& tail() const { return tail_; }
  // Why the log is incomplete; "" if it is complete.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Stream {
    int to = -1;  // the user's stream; -1 if none
    bool terminal = false;
    UniqueFd ours;
    UniqueFd theirs;
    OutputLines lines;
  };
  ProgramOutput() = default;
  static Result<Stream> make_stream(int to, bool echo);
  // Returns the number of bytes read, or nothing at the end of the stream.
  std::optional<std::size_t> take(Stream& stream);
  void keep(std::string_view bytes);

  std::vector<Stream> streams_;
  UniqueFd log_;
  std::vector<FiguresSeen> figures_;
  PrintedSteps steps_;
  RunClock clock_;
  std::string tail_;
  std::string problem_;
};

}  // namespace tacho
