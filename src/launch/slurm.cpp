#include "launch/slurm.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "launch/scheduler_client.h"
#include "launch/slurm_queue.h"
#include "launch/task_list.h"

namespace tacho {
namespace {

// Its words are the arguments after it, which no shell reads.
constexpr const char* kScript = "#!/bin/sh\nexec \"$@\"\n";

bool is_unknown_job(const Captured& answer) {
  return answer.err.find("Invalid job id") != std::string::npos;
}

// Slurm's clients say the same for a wrong answer and for none; only words tell.
bool controller_is_away(const Captured& answer) {
  for (const char* sign :
       {"contact slurm controller", "Socket timed out", "Connection refused", "Zero Bytes",
        "communication", "Communication", "Resource temporarily", "Temporarily unable", "munge"}) {
    if (answer.err.find(sign) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

SlurmLauncher::SlurmLauncher(std::filesystem::path folder, SlurmOptions options,
                             std::optional<int> at_once)
    : ScheduledLauncher(std::move(folder), options.between_questions),
      options_(std::move(options)),
      at_once_(at_once) {}

Result<void> SlurmLauncher::check() const {
  for (const char* program : {"sbatch", "squeue", "scancel", "scontrol"}) {
    if (!find_program(program).ok()) {
      return Error{ErrorCode::unavailable,
                   fmt::format("slurm: {} is in no folder of $PATH; start this on a machine that "
                               "submits to the cluster, or install slurm-client",
                               program)};
    }
  }
  const auto answer = ask_client({"scontrol", "ping"}, kQuestionLimit);
  if (answer.ok() && answer->status.success() && answer->out.find("UP") != std::string::npos) {
    return {};
  }
  return Error{ErrorCode::unavailable,
               "slurm: its controller does not answer 'scontrol ping'; see whether slurmctld runs "
               "and whether SLURM_CONF is right"};
}

Result<std::size_t> SlurmLauncher::room(const Resources&) {
  if (!most_tasks_) {
    TACHO_TRY(answer, ask_client({"scontrol", "show", "config"}, kQuestionLimit));
    if (!answer.status.success()) return refusal("scontrol", answer, ErrorCode::unavailable);
    most_tasks_ = most_tasks_in(answer.out);
    if (!most_tasks_ || *most_tasks_ == 0) {
      return Error{ErrorCode::unavailable,
                   "scontrol: 'show config' names no MaxArraySize; without arrays there is no "
                   "sweeping by this Slurm"};
    }
  }
  return *most_tasks_;
}

Result<std::string> SlurmLauncher::hand_over(const Batch& batch, std::span<const Task> tasks) {
  const auto script = batch.folder.path() / "script.sh";
  TACHO_CHECK(write_file_atomically(script, kScript));
  TACHO_TRY(itself, own_program());
  const std::string tacho = options_.tacho.empty() ? itself : options_.tacho;
  const std::string most = at_once_ ? fmt::format("%{}", *at_once_) : "";

  std::vector<std::string> argv{"sbatch", "--parsable", "--job-name=" + batch.name,
                                fmt::format("--array=0-{}{}", tasks.size() - 1, most),
                                // Relative names: in a path a '%' would stand for something.
                                "--chdir=" + batch.folder.path().string(), "--output=slurm-%a.log",
                                "--open-mode=append",
                                options_.requeue ? "--requeue" : "--no-requeue"};
  for (auto& word : needs_as_options(largest_needs(tasks), longest_limit(tasks), options_)) {
    argv.push_back(std::move(word));
  }
  argv.insert(argv.end(), options_.passed_on.begin(), options_.passed_on.end());
  for (const std::string& word :
       {script.string(), tacho, std::string("take-task"), batch.folder.path().string()}) {
    argv.push_back(word);
  }
  TACHO_TRY(answer, ask_client(argv, kChangeLimit));
  if (!answer.status.success()) {
    return refusal("sbatch", answer,
                   controller_is_away(answer) ? ErrorCode::unavailable : ErrorCode::usage);
  }
  // "JOB" or "JOB;CLUSTER"
  const std::string job = answer.out.substr(0, answer.out.find_first_of(";\n"));
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos) {
    return Error{ErrorCode::failed, "sbatch: names no job: " + answer.out};
  }
  return job;
}

Result<std::optional<std::string>> SlurmLauncher::find(const Batch& batch) {
  TACHO_TRY(answer, ask_client({"squeue", "--noheader", "--states=all", "--format=%F",
                                "--name=" + batch.name},
                               kQuestionLimit));
  if (!answer.status.success()) return refusal("squeue", answer, ErrorCode::unavailable);
  const std::string job = answer.out.substr(0, answer.out.find('\n'));
  return job.empty() ? std::optional<std::string>() : std::optional(job);
}

Result<ScheduledLauncher::Answer> SlurmLauncher::ask(const Batch& batch, const std::string& job) {
  Answer answer(batch.keys.size());
  TACHO_TRY(said, ask_client({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + job,
                              std::string("--Format=") + kQueueColumns},
                             kQuestionLimit));
  if (is_unknown_job(said)) return answer;
  if (!said.status.success()) return refusal("squeue", said, ErrorCode::unavailable);
  TACHO_TRY(tasks, parse_queue(said.out));
  for (auto& [index, task] : tasks) {
    if (index >= answer.size()) continue;
    answer[index] = TaskNews{.key = batch.keys[index],
                             .state = task.state,
                             .status = task.status,
                             .ended_by = task.ended_by,
                             .where = std::move(task.where),
                             .reason = std::move(task.reason)};
  }
  return answer;
}

Result<void> SlurmLauncher::end_tasks(const Batch&, const std::string& job,
                                      std::span<const std::size_t> indices) {
  std::vector<std::string> argv{"scancel"};
  for (const std::size_t index : indices) argv.push_back(fmt::format("{}_{}", job, index));
  TACHO_TRY(answer, ask_client(argv, kChangeLimit));
  if (answer.status.success() || is_unknown_job(answer)) return {};
  return refusal("scancel", answer, ErrorCode::unavailable);
}

Result<void> SlurmLauncher::end_batch(const Batch&, const std::string& job) {
  TACHO_TRY(answer, ask_client({"scancel", job}, kChangeLimit));
  if (answer.status.success() || is_unknown_job(answer)) return {};
  return refusal("scancel", answer, ErrorCode::unavailable);
}

}  // namespace tacho
