#include "machine/launch/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "machine/launch/kubernetes_manifest.h"
#include "machine/launch/kubernetes_pods.h"
#include "machine/launch/scheduler_client.h"
#include "machine/launch/task_list.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTasks = 500;  // listing more pods takes too long

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
  if (answer->status.success()) return {};
  if (answer->out.starts_with("no")) {
    return Error{ErrorCode::unavailable,
                 "kubernetes: this user may not create jobs; request the permissions in "
                 "deploy/kubernetes/rights.yaml, or use another namespace"};
  }
  return refusal("kubectl", *answer, ErrorCode::unavailable)
      .in("kubernetes: the API server does not answer, see 'kubectl cluster-info'");
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

Result<std::string> KubernetesLauncher::pods_of(const std::string& job) const {
  TACHO_TRY(answer, run_client(kubectl({"get", "pods", "--selector=job-name=" + job, "-o", "json"}),
                               kQueryLimit));
  TACHO_CHECK(must_succeed(answer));
  return answer.out;
}

Result<ScheduledLauncher::Updates> KubernetesLauncher::query(const Batch& batch,
                                                             const std::string& job) {
  TACHO_TRY(output, run_client(kubectl({"get", "job", job, "--ignore-not-found", "-o", "json"}),
                               kQueryLimit));
  TACHO_CHECK(must_succeed(output));
  const bool gone = output.out.empty();
  JobStatus status;
  if (!gone) {
    TACHO_TRY(parsed, parse_job(output.out));
    status = parsed;
  }
  TACHO_TRY(pods, pods_of(job));
  TACHO_TRY(tasks, parse_pods(pods));

  Updates updates(batch.keys.size());
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const auto found = tasks.find(i);
    const bool over = gone || status.complete;
    if (found == tasks.end() && over) continue;
    TaskUpdate update = found == tasks.end()
                            ? TaskUpdate{.reason = "Kubernetes has not created a pod for it yet"}
                            : found->second.update;
    update = after_job(std::move(update), status);
    // Written down, so that the pod that replaces it ends at once.
    if (update.ended_by == EndedBy::out_of_memory) {
      TACHO_CHECK(batch.folder.set_status(
          i, {update.status, update.ended_by, update.where, update.reason}));
    }
    updates[i] = std::move(update);
  }
  return updates;
}

// The job replaces deleted pods, but the new ones see that the task is cancelled, and end.
Result<void> KubernetesLauncher::end_tasks(const Batch&, const std::string& job,
                                           std::span<const std::size_t> indices) {
  TACHO_TRY(text, pods_of(job));
  TACHO_TRY(tasks, parse_pods(text));
  std::vector<std::string> words{"delete", "pods", "--ignore-not-found", "--wait=false"};
  const std::size_t none = words.size();
  for (const std::size_t index : indices) {
    const auto found = tasks.find(index);
    if (found == tasks.end()) continue;
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
