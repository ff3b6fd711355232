#include "experiments/runner/watched_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdlib>

#include "experiments/runner/last_line.h"

namespace tacho {
namespace {

constexpr std::chrono::seconds kLookForFilesEvery{2};

// Excludes the folders of other runs, in case the program starts in Tacho's home.
TensorBoardWatch::Place tensorboard_of(const CommandSpec& command, const RunFolder& run) {
  if (!command.tensorboard.empty()) return {.folder = command.tensorboard, .everywhere = true};
  return {.folder = command.folder, .except = run.path().parent_path()};
}

// Matches the messages of torch, Python, C++ and the C library.
bool mentions_out_of_memory(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 5> kWords = {"out of memory", "outofmemory", "memoryerror",
                                                      "std::bad_alloc", "cannot allocate memory"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view words) { return text.find(words) != std::string::npos; });
}

}  // namespace

WatchedProgram::WatchedProgram(const Options& options, ProgramOutput output,
                               ContainerProcess process, FigureLog log)
    : output_(std::move(output)),
      process_(std::move(process)),
      order_(options.order),
      usage_file_(options.folder.usage()),
      log_(std::move(log)),
      tensorboard_(tensorboard_of(*options.order.command, options.folder)) {
  sample();
}

void WatchedProgram::sample() {
  if (sampler_ || (sampled_ = process_.first_processes()).empty()) return;
  sampler_ = UsageSampler::start({.pids = sampled_, .file = usage_file_});
}

Result<WatchedProgram> WatchedProgram::start(const Options& options) {
  TACHO_TRY(log, FigureLog::open(options.folder, options.container.clock()));
  TACHO_TRY(output, ProgramOutput::open(
                        {options.folder.output(), options.echo, options.container.clock()}));
  // In a separate process group, reading the terminal would stop it.
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const CommandSpec& spec = *options.order.command;
  Command command{.argv = spec.argv, .environment = options.tracing.environment};
  if (::isatty(STDIN_FILENO) == 1) command.in = nothing.get();
  command.environment[kRunFolderVariable] = options.folder.path().string();
  // Otherwise Python writes to a pipe in blocks: figures would have wrong times, and a program that
  // is killed would lose them.
  constexpr const char* kUnbuffered = "PYTHONUNBUFFERED";
  if (std::getenv(kUnbuffered) == nullptr) command.environment.try_emplace(kUnbuffered, "1");
  command.out = output.out();
  command.err = output.err();
  command.folder = spec.folder;
  command.own_group = true;
  command.dies_with_parent = true;
  TACHO_TRY(process, ContainerProcess::start(options.container,
                                             {.command = command, .reads = options.tracing.files}));
  output.started();
  return WatchedProgram(options, std::move(output), std::move(process), std::move(log));
}

void WatchedProgram::look_at_tensorboard() {
  looked_ = Clock::now();
  log_.add(tensorboard_.look());
  for (std::string& note : tensorboard_.take_notes()) log_.write(Note{std::move(note)});
}

bool WatchedProgram::wait_for(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kSoon{10};
  output_.pump(process_.process().handle(), sampler_ ? time : std::min(time, kSoon));
  sample();
  log_.add(output_.take_figures());
  log_.look(Clock::now() - began_);
  if (Clock::now() - looked_ >= kLookForFilesEvery) look_at_tensorboard();
  return process_.ends_within(std::chrono::milliseconds(0));
}

void WatchedProgram::forward_interrupts(int interrupts) {
  for (; forwarded_ < interrupts; ++forwarded_) {
    signal(forwarded_ == 0 ? SIGINT : forwarded_ == 1 ? SIGTERM : SIGKILL);
  }
}

WatchedProgram::End WatchedProgram::finish() {
  if (sampler_) sampler_->look();
  while (!process_.wait_for(std::chrono::seconds(1))) {
  }
  const Ending ending = process_.ending();
  const ExitStatus status = ending.status;
  const ChildUsage usage = process_.usage();
  if (sampler_) {
    for (const pid_t pid : sampled_) sampler_->ended(pid, usage);
    sampler_->stop();
  }
  output_.finish();
  log_.add(output_.take_figures());
  if (const auto steps = output_.steps()) log_.write(*steps);
  look_at_tensorboard();
  log_.finish();
  if (!output_.problem().empty()) log_.write(Note{output_.problem()});
  if (const auto problem = sampler_ ? sampler_->error() : std::nullopt) {
    log_.write(Note{"resource usage: " + problem->message});
  }
  const EnvironmentExited exited = process_.exited();
  // Time of the program only, without its environment.
  const double wall = exited.ended.value_or(exited.left) - exited.entered.value_or(exited.began);
  End end{status, Outcome::ok, "", wall, usage, exited};
  if (forwarded_ > 0) {
    end.outcome = Outcome::cancelled;
    end.reason = "stopped by the user";
  } else if (ending.out_of_memory) {
    end.outcome = Outcome::out_of_memory;
    end.reason = memory_limit_words(order_);
  } else if (!status.success()) {
    end.outcome = mentions_out_of_memory(output_.tail()) ? Outcome::out_of_memory : Outcome::failed;
    end.reason = process_.not_started();
    if (end.reason.empty()) end.reason = describe(status);
    if (const std::string words = last_line(output_.tail()); !words.empty()) {
      end.reason += "; its last line: " + words;
    }
  }
  return end;
}

}  // namespace tacho
