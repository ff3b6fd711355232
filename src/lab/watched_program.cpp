#include "lab/watched_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>

#include "base/clock.h"
#include "lab/last_line.h"

namespace tacho {
namespace {

constexpr std::chrono::seconds kLookForFilesEvery{2};
// A program that says more than this has said what it has to say; a record must stay readable.
constexpr std::int64_t kMostFigures = 20000;

TensorBoardWatch::Place tensorboard_of(const CommandSpec& command) {
  if (!command.tensorboard.empty()) return {command.tensorboard, true};
  return {command.folder, false};
}

// In the words of torch, Python, C++ and the C library.
bool speaks_of_memory(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 5> kWords = {"out of memory", "outofmemory", "memoryerror",
                                                      "std::bad_alloc", "cannot allocate memory"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view words) { return text.find(words) != std::string::npos; });
}

}  // namespace

WatchedProgram::WatchedProgram(const Options& options, ProgramOutput output, Process process,
                               std::unique_ptr<JsonLinesSink> events, Clock::time_point began)
    : output_(std::move(output)),
      process_(std::move(process)),
      sampler_(UsageSampler::start({.pids = {process_.pid()}, .file = options.folder.usage()})),
      events_(std::move(events)),
      tensorboard_(tensorboard_of(options.command)),
      began_(began) {}

Result<WatchedProgram> WatchedProgram::start(const Options& options) {
  TACHO_TRY(events, JsonLinesSink::open(options.folder.events()));
  TACHO_TRY(output, ProgramOutput::open({options.folder.output(), options.echo}));
  // In a process group of its own it would be stopped for reading the terminal.
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Command command{.argv = options.command.argv, .environment = options.environment};
  if (::isatty(STDIN_FILENO) == 1) command.in = nothing.get();
  command.out = output.out();
  command.err = output.err();
  command.folder = options.command.folder;
  command.own_group = true;
  command.dies_with_parent = true;
  const auto began = Clock::now();
  TACHO_TRY(process, Process::start(command));
  output.started();
  return WatchedProgram(options, std::move(output), std::move(process), std::move(events), began);
}

void WatchedProgram::write(EventBody body) {
  // A full disk does not end the program; what could not be written is missing in the record.
  (void)events_->write({unix_seconds_now(), std::move(body)}).ok();
}

void WatchedProgram::write_figures(std::vector<FiguresSeen> figures) {
  for (FiguresSeen& seen : figures) {
    if (++figures_written_ > kMostFigures) break;
    if (figures_written_ == kMostFigures) {
      write(Note{
          fmt::format("of what it said of itself the first {} lines are kept", kMostFigures - 1)});
    } else {
      write(std::move(seen));
    }
  }
}

void WatchedProgram::look_at_tensorboard() {
  looked_ = Clock::now();
  write_figures(tensorboard_.look());
  for (std::string& note : tensorboard_.take_notes()) write(Note{std::move(note)});
}

bool WatchedProgram::wait_for(std::chrono::milliseconds time) {
  output_.pump(process_.handle(), time);
  write_figures(output_.take_figures());
  if (Clock::now() - looked_ >= kLookForFilesEvery) look_at_tensorboard();
  return process_.ends_within(std::chrono::milliseconds(0));
}

void WatchedProgram::pass_on(int interrupts) {
  for (; passed_ < interrupts; ++passed_) {
    process_.signal(passed_ == 0 ? SIGINT : passed_ == 1 ? SIGTERM : SIGKILL);
  }
}

WatchedProgram::End WatchedProgram::finish() {
  const std::chrono::duration<double> wall = Clock::now() - began_;
  sampler_->look();
  const ExitStatus status = process_.wait();
  const ChildUsage usage = process_.usage().value_or(ChildUsage{});
  sampler_->ended(process_.pid(), usage);
  sampler_->stop();
  output_.finish();
  write_figures(output_.take_figures());
  look_at_tensorboard();
  if (!output_.problem().empty()) write(Note{output_.problem()});
  if (const auto problem = sampler_->error()) write(Note{"what it used: " + problem->message});
  End end{status, Outcome::ok, "", wall.count(), usage};
  if (passed_ > 0) {
    end.outcome = Outcome::cancelled;
    end.reason = "stopped by the user";
  } else if (!status.success()) {
    end.outcome = speaks_of_memory(output_.tail()) ? Outcome::out_of_memory : Outcome::failed;
    end.reason = describe(status);
    if (const std::string words = last_line(output_.tail()); !words.empty()) {
      end.reason += "; its last line: " + words;
    }
  }
  return end;
}

}  // namespace tacho
