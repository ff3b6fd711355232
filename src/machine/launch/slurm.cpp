#include "machine/launch/slurm.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "machine/launch/scheduler_client.h"
#include "machine/launch/slurm_queue.h"
#include "machine/launch/task_list.h"

namespace tacho {
namespace {

// Executes its arguments, without interpretation by a shell.
constexpr const char* kScript = "#!/bin/sh\nexec \"$@\"\n";

bool is_unknown_job(const Captured& answer) {
  return answer.err.find("Invalid job id") != std::string::npos;
}

// Slurm's clients use the same exit code for errors and for an unreachable controller; only the
// message differs.
bool controller_is_away(const Captured& answer) {
  for (const char* sign :
       {"contact slurm controller", "Socket timed out", "Connection refused", "Zero Bytes",
        "communication", "Communication", "Resource temporarily", "Temporarily unable", "munge"}) {
    if (answer.err.find(sign) != std::string::npos) return true;
  }
  return false;
}

// Slurm holds a task that a node could not launch, and drains the node: the task can be tried on
// another one. The next query shows the result.
void release(const std::string& job, std::size_t index) {
  [[maybe_unused]] const auto tried =
      run_client({"scontrol", "release", fmt::format("{}_{}", job, index)}, kQueryLimit);
}

}  // namespace

SlurmLauncher::SlurmLauncher(std::filesystem::path folder, SlurmOptions options,
                             std::optional<int> at_once)
    : ScheduledLauncher(std::move(folder), options.poll_interval),
      options_(std::move(options)),
      at_once_(at_once) {}

Result<void> SlurmLauncher::check() const {
  for (const char* program : {"sbatch", "squeue", "scancel", "scontrol"}) {
    if (!find_program(program).ok()) {
      return Error{
          ErrorCode::unavailable,
          fmt::format("slurm: {} was not found in $PATH; run this on a machine that submits to the "
                      "cluster, or install slurm-client",
                      program)};
    }
  }
  const auto answer = run_client({"scontrol", "ping"}, kQueryLimit);
  if (answer.ok() && answer->status.success() && answer->out.find("UP") != std::string::npos) {
    return {};
  }
  return Error{ErrorCode::unavailable,
               "slurm: the controller does not answer 'scontrol ping'; check that slurmctld is "
               "running and that SLURM_CONF is correct"};
}

Result<std::size_t> SlurmLauncher::room(const Resources&) {
  if (!most_tasks_) {
    TACHO_TRY(answer, run_client({"scontrol", "show", "config"}, kQueryLimit));
    if (!answer.status.success()) return refusal("scontrol", answer, ErrorCode::unavailable);
    most_tasks_ = most_tasks_in(answer.out);
    if (!most_tasks_ || *most_tasks_ == 0) {
      return Error{
          ErrorCode::unavailable,
          "scontrol: 'show config' contains no MaxArraySize; sweeps need job arrays, which this "
          "Slurm does not support"};
    }
  }
  return *most_tasks_;
}

Result<std::string> SlurmLauncher::submit_job(const Batch& batch, std::span<const Task> tasks) {
  const auto script = batch.folder.path() / "script.sh";
  TACHO_CHECK(write_file_atomically(script, kScript));
  TACHO_TRY(itself, own_program());
  const std::string tacho = options_.tacho.empty() ? itself : options_.tacho;
  const std::string most = at_once_ ? fmt::format("%{}", *at_once_) : "";

  std::vector<std::string> argv{"sbatch", "--parsable", "--job-name=" + batch.name,
                                fmt::format("--array=0-{}{}", tasks.size() - 1, most),
                                // Relative names, because '%' is special in these paths.
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
  TACHO_TRY(answer, run_client(argv, kChangeLimit));
  if (!answer.status.success()) {
    return refusal("sbatch", answer,
                   controller_is_away(answer) ? ErrorCode::unavailable : ErrorCode::usage);
  }
  // "JOB" or "JOB;CLUSTER"
  const std::string job = answer.out.substr(0, answer.out.find_first_of(";\n"));
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos) {
    return Error{ErrorCode::failed, "sbatch: printed no job id: " + answer.out};
  }
  return job;
}

Result<std::optional<std::string>> SlurmLauncher::find(const Batch& batch) {
  TACHO_TRY(answer, run_client({"squeue", "--noheader", "--states=all", "--format=%F",
                                "--name=" + batch.name},
                               kQueryLimit));
  if (!answer.status.success()) return refusal("squeue", answer, ErrorCode::unavailable);
  const std::string job = answer.out.substr(0, answer.out.find('\n'));
  return job.empty() ? std::optional<std::string>() : std::optional(job);
}

Result<ScheduledLauncher::Updates> SlurmLauncher::query(const Batch& batch,
                                                        const std::string& job) {
  Updates updates(batch.keys.size());
  // By name too: a controller that was killed may reuse a job id.
  TACHO_TRY(output, run_client({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + job,
                                "--name=" + batch.name, std::string("--Format=") + kQueueColumns},
                               kQueryLimit));
  if (is_unknown_job(output)) return updates;
  if (!output.status.success()) return refusal("squeue", output, ErrorCode::unavailable);
  TACHO_TRY(queue, parse_queue(output.out));
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const auto found = queue.tasks.find(i);
    const auto task = found == queue.tasks.end() ? queue.others : std::optional(found->second);
    if (!task) continue;
    if (task->held) release(job, i);
    updates[i] = TaskUpdate{.key = batch.keys[i],
                            .state = task->state,
                            .status = task->status,
                            .ended_by = task->ended_by,
                            .where = task->where,
                            .reason = task->reason};
  }
  return updates;
}

Result<void> SlurmLauncher::end(const Batch& batch, const std::vector<std::string>& jobs) {
  // The job id may have been reused. (scancel --name does not accept tasks of an array.)
  TACHO_TRY(left, find(batch));
  if (!left) return {};
  std::vector<std::string> argv{"scancel"};
  argv.insert(argv.end(), jobs.begin(), jobs.end());
  TACHO_TRY(answer, run_client(argv, kChangeLimit));
  if (answer.status.success() || is_unknown_job(answer)) return {};
  return refusal("scancel", answer, ErrorCode::unavailable);
}

Result<void> SlurmLauncher::end_tasks(const Batch& batch, const std::string& job,
                                      std::span<const std::size_t> indices) {
  std::vector<std::string> jobs;
  for (const std::size_t index : indices) jobs.push_back(fmt::format("{}_{}", job, index));
  return end(batch, jobs);
}

Result<void> SlurmLauncher::end_batch(const Batch& batch, const std::string& job) {
  return end(batch, {job});
}

}  // namespace tacho
