#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/subprocess.h"
#include "emit/json_lines_sink.h"
#include "lab/gpu_tracing.h"
#include "lab/program_output.h"
#include "lab/residence.h"
#include "listen/figure_thinner.h"
#include "listen/tensorboard_watch.h"
#include "probe/usage_sampler.h"
#include "record/command_spec.h"
#include "record/run_folder.h"

namespace tacho {

// Someone else's program, run to its end while what it says is written down as events, and what it
// uses as samples.
class WatchedProgram {
 public:
  struct Options {
    const RunOrder& order;  // of a command
    const RunFolder& folder;
    Residence& residence;
    const GpuTracing& tracing;
    bool echo = true;  // what it prints, to this process's streams
  };
  // An error: it could not be started. The order and the residence must outlive it.
  static Result<WatchedProgram> start(const Options& options);

  // Whether it has ended, at the latest after `time`.
  bool wait_for(std::chrono::milliseconds time);
  // `interrupts` counts Ctrl-C: the first is passed on as it is, the second as SIGTERM, the third
  // kills.
  void pass_on(int interrupts);
  void signal(int number) const { resident_.signal(number); }

  // Reads what is left, and says how it ended. To be called once, after its end.
  struct End {
    ExitStatus status;
    Outcome outcome;
    std::string reason;
    double wall_seconds;
    ChildUsage usage;
    StayOver stay;
  };
  End finish();

 private:
  void write_all(std::vector<FiguresSeen> figures);
  void hear(std::vector<FiguresSeen> figures);
  void write(EventBody body);
  void look_at_tensorboard();

  using Clock = std::chrono::steady_clock;
  WatchedProgram(const Options& options, ProgramOutput output, Resident resident,
                 std::unique_ptr<JsonLinesSink> events);
  void sample();

  const RunClock& clock_;
  ProgramOutput output_;
  Resident resident_;
  const RunOrder& order_;
  std::filesystem::path usage_file_;
  std::vector<pid_t> sampled_;
  std::unique_ptr<UsageSampler> sampler_;  // once its processes are there
  std::unique_ptr<JsonLinesSink> events_;
  TensorBoardWatch tensorboard_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point looked_ = began_;
  FigureThinner thinner_;
  int passed_ = 0;
};

}  // namespace tacho
