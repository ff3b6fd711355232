#include "machine/launch/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "machine/launch/kubernetes_manifest.h"
#include "machine/launch/kubernetes_pods.h"
#include "machine/launch/scheduler_client.h"
#include "machine/launch/task_list.h"
#include "machine/launch/task_status.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstWithIndexedJobs = 24;  // minor version
constexpr std::size_t kMostTasks = 500;    // listing more pods takes too long

bool server_is_away(const Captured& answer) {
  for (const char* sign : {"Unable to connect", "connection refused", "was refused", "imeout",
                           "timed out", "TLS handshake", "etcdserver", "nternal error", "EOF",
                           "connection reset", "ServiceUnavailable", "TooManyRequests"}) {
    if (answer.err.find(sign) != std::string::npos) return true;
  }
  return false;
}

bool has_error(const Captured& answer, const char* words) {
  return answer.err.find(words) != std::string::npos;
}

// Its container could not be created for too long.
bool cannot_start(const TaskUpdate& update) {
  return update.state == TaskState::ended && update.status && update.status->code == kCannotStart;
}

Result<void> must_succeed(const Captured& answer) {
  if (answer.status.success()) return {};
  return refusal("kubectl", answer, ErrorCode::unavailable);
}

}  // namespace

KubernetesLauncher::KubernetesLauncher(fs::path folder, KubernetesOptions options,
                                       std::optional<int> at_once)
    : ScheduledLauncher(std::move(folder), options.poll_interval),
      options_(std::move(options)),
      at_once_(at_once) {}

std::vector<std::string> KubernetesLauncher::kubectl(std::vector<std::string> words) const {
  std::vector<std::string> argv{"kubectl", "--request-timeout=10s"};
  if (!options_.context.empty()) argv.push_back("--context=" + options_.context);
  if (!options_.name_space.empty()) argv.push_back("--namespace=" + options_.name_space);
  for (std::string& word : words) argv.push_back(std::move(word));
  return argv;
}

Result<void> KubernetesLauncher::check() const {
  if (!find_program("kubectl").ok()) {
    return Error{ErrorCode::unavailable,
                 "kubernetes: kubectl was not found in $PATH; install it (Debian: "
                 "kubernetes-client)"};
  }
  const fs::path place = fs::absolute(folder()).lexically_normal();
  const auto inside = place.lexically_relative(fs::path(options_.mount).lexically_normal());
  if (inside.empty() || *inside.begin() == "..") {
    return Error{ErrorCode::usage,
                 fmt::format("kubernetes: {} is not within the shared volume at {}; set TACHO_HOME "
                             "to a folder there",
                             place.string(), options_.mount)};
  }
  const auto answer = run_client(kubectl({"auth", "can-i", "create", "jobs.batch"}), kQueryLimit);
  if (!answer.ok()) return answer.error().in("kubernetes");
  if (answer->status.success()) return check_version();
  if (answer->out.starts_with("no")) {
    return Error{ErrorCode::unavailable,
                 "kubernetes: this user may not create jobs; request the permissions in "
                 "deploy/kubernetes/rights.yaml, or use another namespace"};
  }
  return refusal("kubectl", *answer, ErrorCode::unavailable)
      .in("kubernetes: the API server does not answer, see 'kubectl cluster-info'");
}

// An older server silently ignores that a job is indexed.
Result<void> KubernetesLauncher::check_version() const {
  if (!options_.is_indexed) return {};
  TACHO_TRY(output, get({"--raw", "/version"}));
  TACHO_TRY(version, parse_version(output));
  if (version >= kFirstWithIndexedJobs) return {};
  return Error{ErrorCode::unavailable,
               fmt::format("kubernetes: the API server's version is 1.{}, and Indexed Jobs need "
                           "1.{}; use --set completion-mode=NonIndexed",
                           version, kFirstWithIndexedJobs)};
}

Result<std::size_t> KubernetesLauncher::room(const Resources&) { return kMostTasks; }

Result<std::string> KubernetesLauncher::submit_job(const Batch& batch,
                                                   std::span<const Task> tasks) {
  const Json manifest = job_manifest({.options = options_,
                                      .name = batch.name,
                                      .folder = batch.folder.path(),
                                      .tasks = tasks.size(),
                                      .needs = largest_needs(tasks),
                                      .at_once = at_once_});
  const fs::path file = batch.folder.path() / "job.json";
  TACHO_CHECK(write_file_atomically(file, json_text(manifest, 2) + "\n"));
  TACHO_TRY(answer, run_client(kubectl({"create", "-f", file.string()}), kChangeLimit));
  if (answer.status.success() || has_error(answer, "AlreadyExists")) return batch.name;
  return refusal("kubectl", answer,
                 server_is_away(answer) ? ErrorCode::unavailable : ErrorCode::usage);
}

Result<std::optional<std::string>> KubernetesLauncher::find(const Batch& batch) {
  TACHO_TRY(answer,
            run_client(kubectl({"get", "job", batch.name, "--ignore-not-found", "-o", "name"}),
                       kQueryLimit));
  TACHO_CHECK(must_succeed(answer));
  return answer.out.empty() ? std::optional<std::string>() : std::optional(batch.name);
}

Result<std::string> KubernetesLauncher::get(std::vector<std::string> words) const {
  words.insert(words.begin(), "get");
  TACHO_TRY(answer, run_client(kubectl(std::move(words)), kQueryLimit));
  TACHO_CHECK(must_succeed(answer));
  return answer.out;
}

Result<JobPods> KubernetesLauncher::pods_of(const Batch& batch, const std::string& job) const {
  TACHO_TRY(output, get({"pods", "--selector=job-name=" + job, "-o", "json"}));
  if (options_.is_indexed) return parse_pods(output);
  return parse_pods(output, batch.folder.takers());
}

// Without the permission to read events there are no reasons, but everything else works.
std::map<std::string, std::string> KubernetesLauncher::warnings() const {
  const auto output = get({"events", "--field-selector=type=Warning", "-o", "json"});
  if (!output.ok()) return {};
  auto parsed = parse_warnings(*output);
  return parsed.ok() ? *std::move(parsed) : std::map<std::string, std::string>();
}

TaskUpdate KubernetesLauncher::waiting(PodUpdate pod, const std::string& job, std::size_t index,
                                       const std::map<std::string, std::string>& warnings) {
  TaskUpdate update = std::move(pod.update);
  const std::pair place(job, index);
  if (!pod.cannot_start) {
    cannot_start_since_.erase(place);
  } else {
    const auto now = Clock::now();
    const auto since = cannot_start_since_.try_emplace(place, now).first->second;
    if (now - since >= options_.give_up_after) {
      update.state = TaskState::ended;
      update.status = ExitStatus{kCannotStart, 0};
      return update;
    }
  }
  if (!update.reason.empty()) return update;
  const auto found = warnings.find(pod.pods.empty() ? job : pod.pods.back());
  update.is_hindered = found != warnings.end();
  update.reason = update.is_hindered ? found->second
                  : pod.pods.empty() ? "Kubernetes has not created a pod for it yet"
                                     : "Kubernetes has not started its pod";
  return update;
}

Result<ScheduledLauncher::Updates> KubernetesLauncher::query(const Batch& batch,
                                                             const std::string& job) {
  TACHO_TRY(output, get({"job", job, "--ignore-not-found", "-o", "json"}));
  const bool gone = output.empty();
  JobStatus status;
  if (!gone) {
    TACHO_TRY(parsed, parse_job(output));
    status = parsed;
  }
  TACHO_TRY(pods, pods_of(batch, job));
  const bool has_silent_pod = std::any_of(pods.tasks.begin(), pods.tasks.end(), [](const auto& e) {
    return e.second.update.state == TaskState::waiting && e.second.update.reason.empty();
  });
  const bool has_reasons = status.has_all_pods && !has_silent_pod &&
                           (!pods.unassigned || !pods.unassigned->update.reason.empty());
  const auto warned = has_reasons ? std::map<std::string, std::string>() : warnings();

  const bool over = gone || status.complete;
  std::optional<TaskUpdate> given_up;
  bool is_stuck = true;  // every pod has been given up
  Updates updates(batch.keys.size());
  const auto update_with = [&](PodUpdate pod, std::size_t i) {
    const bool waits = pod.update.state == TaskState::waiting && !pod.update.status;
    TaskUpdate update = waits ? waiting(std::move(pod), job, i, warned) : std::move(pod.update);
    return after_job(std::move(update), status);
  };
  for (auto& [i, pod] : pods.tasks) {
    if (i >= updates.size()) continue;
    const bool is_open = !pod.pods.empty();
    updates[i] = update_with(std::move(pod), i);
    if (cannot_start(*updates[i])) {
      given_up = updates[i];
    } else if (is_open) {
      is_stuck = false;
    }
  }
  for (std::size_t i = 0; i < updates.size() && !over; ++i) {
    if (updates[i]) continue;
    if (given_up && is_stuck) {
      updates[i] = given_up;  // the same would happen to it
      continue;
    }
    PodUpdate pod = pods.unassigned.value_or(PodUpdate{});
    if (!is_stuck) pod.cannot_start = false;  // pods on other nodes will take it
    if (status.suspended) pod.update.reason = "its job is suspended until its queue admits it";
    updates[i] = update_with(std::move(pod), i);
  }
  // Written down, so that the pod that replaces it ends at once.
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (!updates[i]) continue;
    const TaskUpdate& update = *updates[i];
    if (update.ended_by != EndedBy::out_of_memory && !cannot_start(update)) continue;
    TACHO_CHECK(
        batch.folder.set_status(i, {update.status, update.ended_by, update.where, update.reason}));
  }
  return updates;
}

// The job replaces deleted pods, but the new ones see that the task is cancelled, and end.
Result<void> KubernetesLauncher::end_tasks(const Batch& batch, const std::string& job,
                                           std::span<const std::size_t> indices) {
  TACHO_TRY(pods, pods_of(batch, job));
  std::vector<std::string> words{"delete", "pods", "--ignore-not-found", "--wait=false"};
  const std::size_t none = words.size();
  for (const std::size_t index : indices) {
    const auto found = pods.tasks.find(index);
    if (found == pods.tasks.end()) continue;
    words.insert(words.end(), found->second.pods.begin(), found->second.pods.end());
  }
  if (words.size() == none) return {};
  TACHO_TRY(answer, run_client(kubectl(words), kChangeLimit));
  return must_succeed(answer);
}

Result<void> KubernetesLauncher::end_batch(const Batch&, const std::string& job) {
  TACHO_TRY(answer,
            run_client(kubectl({"delete", "job", job, "--ignore-not-found", "--wait=false"}),
                       kChangeLimit));
  return must_succeed(answer);
}

}  // namespace tacho
