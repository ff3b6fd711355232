#include "machine/launch/slurm_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/parse_number.h"
#include "base/split.h"

namespace tacho {
namespace {

std::optional<int> number(std::string_view text) {
  const auto value = parse_number<int>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

// Parses a status as from wait(), or "CODE:SIGNAL" as printed by scontrol.
std::optional<ExitStatus> exit_status(std::string_view text) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto code = number(text.substr(0, colon));
    const auto signal = number(text.substr(colon + 1));
    if (!code || !signal) return std::nullopt;
    return ExitStatus{*code & 0xff, *signal & 0x7f};
  }
  const auto raw = number(text);
  if (!raw) return std::nullopt;
  return ExitStatus{(*raw >> 8) & 0xff, *raw & 0x7f};
}

struct Meaning {
  std::string_view word;
  TaskState state;
  EndedBy ended_by;
};
constexpr std::array<Meaning, 25> kMeanings{{
    {"PENDING", TaskState::waiting, EndedBy::itself},
    {"CONFIGURING", TaskState::waiting, EndedBy::itself},
    {"REQUEUED", TaskState::waiting, EndedBy::itself},
    {"REQUEUE_FED", TaskState::waiting, EndedBy::itself},
    {"REQUEUE_HOLD", TaskState::waiting, EndedBy::itself},
    {"SPECIAL_EXIT", TaskState::waiting, EndedBy::itself},
    {"RESV_DEL_HOLD", TaskState::waiting, EndedBy::itself},
    {"POWER_UP_NODE", TaskState::waiting, EndedBy::itself},
    {"RUNNING", TaskState::running, EndedBy::itself},
    {"COMPLETING", TaskState::running, EndedBy::itself},
    {"RESIZING", TaskState::running, EndedBy::itself},
    {"SIGNALING", TaskState::running, EndedBy::itself},
    {"STAGE_OUT", TaskState::running, EndedBy::itself},
    {"STOPPED", TaskState::running, EndedBy::itself},
    {"SUSPENDED", TaskState::running, EndedBy::itself},
    {"COMPLETED", TaskState::ended, EndedBy::itself},
    {"FAILED", TaskState::ended, EndedBy::itself},
    {"CANCELLED", TaskState::ended, EndedBy::cancel},
    {"TIMEOUT", TaskState::ended, EndedBy::time_limit},
    {"DEADLINE", TaskState::ended, EndedBy::time_limit},
    {"OUT_OF_MEMORY", TaskState::ended, EndedBy::out_of_memory},
    {"BOOT_FAIL", TaskState::lost, EndedBy::itself},
    {"NODE_FAIL", TaskState::lost, EndedBy::itself},
    {"PREEMPTED", TaskState::lost, EndedBy::itself},
    {"REVOKED", TaskState::lost, EndedBy::itself},
}};

const Meaning* meaning_of(std::string_view state) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.word == state) return &meaning;
  }
  return nullptr;
}

std::string words_for(const QueuedTask& task, std::string_view state, std::string_view reason) {
  const bool has_reason = !reason.empty() && reason != "None";
  const std::string why = has_reason ? fmt::format(" ({})", reason) : "";
  switch (task.state) {
    case TaskState::waiting:
      return fmt::format("Slurm has not started it{}", why);
    case TaskState::running:
      return "";
    case TaskState::ended:
      if (task.status && task.status->success() && state == "COMPLETED") return "";
      return fmt::format("Slurm reports {}{}", state, why);
    case TaskState::lost:
      return fmt::format("Slurm reports {}{}, on {}", state, why, task.where);
  }
  broken_invariant("unknown state of a task");
}

// A task that ends writes a status. Without one, Slurm's exit code is that of take-task, or of
// nothing: a controller that was killed before it saved its state ends running tasks, cannot start
// them again, and reports FAILED with 1. So the task is lost, unless take-task could not be
// started, which would fail again.
bool take_task_failed(const QueuedTask& task) {
  if (!task.status || task.status->success() || task.ended_by != EndedBy::itself) return false;
  constexpr std::array kCannotStart = {2, 126, 127};  // usage error of tacho; errors of a shell
  return std::ranges::find(kCannotStart, task.status->code) == kCannotStart.end();
}

QueuedTask read(std::string_view state, std::string_view code, std::string_view node,
                std::string_view reason) {
  QueuedTask task{.where = std::string(node)};
  // With an unknown state of a newer Slurm, it has not ended while it is in the queue.
  const Meaning* meaning = meaning_of(state);
  task.state = meaning == nullptr ? TaskState::running : meaning->state;
  task.ended_by = meaning == nullptr ? EndedBy::itself : meaning->ended_by;
  if (task.state == TaskState::ended) task.status = exit_status(code);
  if (take_task_failed(task)) {
    task.state = TaskState::lost;
    task.status.reset();
  }
  task.held = task.state == TaskState::waiting && reason == "launch failed requeued held";
  task.reason = words_for(task, state, reason);
  return task;
}

}  // namespace

Result<Queue> parse_queue(std::string_view answer) {
  Queue queue;
  for (const std::string_view line : lines_of(answer)) {
    if (line.empty()) continue;
    const auto fields = split(line, '|');
    const bool whole = fields.size() > 5;  // each of five fields ends in a bar
    const auto index = number(fields[0]);
    if (whole && fields[0] == "N/A") {
      queue.others = read(fields[1], fields[2], fields[3], fields[4]);
      continue;
    }
    if (!whole || !index) {
      return Error{ErrorCode::invalid, fmt::format("squeue: unexpected output: '{}'", line)};
    }
    queue.tasks[static_cast<std::size_t>(*index)] =
        read(fields[1], fields[2], fields[3], fields[4]);
  }
  return queue;
}

std::optional<std::size_t> most_tasks_in(std::string_view configuration) {
  constexpr std::string_view kName = "MaxArraySize";
  const auto at = configuration.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  configuration.remove_prefix(at + kName.size());
  const auto digit = configuration.find_first_not_of(" =");
  if (digit == std::string_view::npos) return std::nullopt;
  configuration.remove_prefix(digit);
  const auto size = number(configuration.substr(0, configuration.find('\n')));
  if (!size) return std::nullopt;
  return static_cast<std::size_t>(*size);
}

}  // namespace tacho
