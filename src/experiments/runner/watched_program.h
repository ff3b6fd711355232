#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/subprocess.h"
#include "core/record/command_spec.h"
#include "core/record/run_folder.h"
#include "experiments/runner/figure_log.h"
#include "experiments/runner/gpu_tracing.h"
#include "experiments/runner/program_output.h"
#include "experiments/runner/run_container.h"
#include "machine/probe/usage_sampler.h"
#include "tracing/listen/tensorboard_watch.h"

namespace tacho {

// Runs a program to its end and writes its figures as events and its resource usage as samples.
class WatchedProgram {
 public:
  struct Options {
    const RunOrder& order;  // has a command
    const RunFolder& folder;
    RunContainer& container;
    const GpuTracing& tracing;
    bool echo = true;  // forwards its output to the streams of this process
  };
  // Returns an error if the program cannot be started. The order and the container must outlive it.
  static Result<WatchedProgram> start(const Options& options);

  // Waits for at most `time`. Returns true if the program has ended.
  bool wait_for(std::chrono::milliseconds time);
  // `interrupts` counts Ctrl-C: the first sends SIGINT, the second SIGTERM, the third SIGKILL.
  void forward_interrupts(int interrupts);
  void signal(int number) const { process_.signal(number); }

  // Reads the remaining output and returns how the program ended. Call it once, after the end.
  struct End {
    ExitStatus status;
    Outcome outcome;
    std::string reason;
    double wall_seconds;
    ChildUsage usage;
    EnvironmentExited exited;
  };
  End finish();

 private:
  void look_at_tensorboard();

  using Clock = std::chrono::steady_clock;
  WatchedProgram(const Options& options, ProgramOutput output, ContainerProcess process,
                 FigureLog log);
  void sample();

  ProgramOutput output_;
  ContainerProcess process_;
  const RunOrder& order_;
  std::filesystem::path usage_file_;
  std::vector<pid_t> sampled_;
  std::unique_ptr<UsageSampler> sampler_;  // null until its processes exist
  FigureLog log_;
  TensorBoardWatch tensorboard_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point looked_ = began_;
  int forwarded_ = 0;
};

}  // namespace tacho
