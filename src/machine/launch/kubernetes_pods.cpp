#include "machine/launch/kubernetes_pods.h"

#include <fmt/format.h>

#include <csignal>
#include <optional>

#include "base/json_object.h"
#include "base/parse_number.h"

namespace tacho {
namespace {

// Returns a null value for a missing key: documents of Kubernetes are read leniently.
const Json& at(const Json& json, const char* key) {
  static const Json kNothing;
  if (!json.is_object()) return kNothing;
  const auto found = json.find(key);
  return found == json.end() ? kNothing : *found;
}

std::string text(const Json& json, const char* key) {
  const Json& value = at(json, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<std::size_t> index_of(const Json& pod) {
  return parse_number<std::size_t>(
      text(at(at(pod, "metadata"), "annotations"), "batch.kubernetes.io/job-completion-index"));
}

const Json& container_state(const Json& pod) {
  static const Json kNothing;
  const Json& containers = at(at(pod, "status"), "containerStatuses");
  if (!containers.is_array() || containers.empty()) return kNothing;
  return at(containers.front(), "state");
}

std::string joined(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return one + other;
  return one + ": " + other;
}

std::string why_waiting(const Json& pod) {
  const Json& waiting = at(container_state(pod), "waiting");
  std::string of_container = joined(text(waiting, "reason"), text(waiting, "message"));
  if (!of_container.empty()) return of_container;
  const Json& conditions = at(at(pod, "status"), "conditions");
  if (conditions.is_array()) {
    for (const Json& condition : conditions) {
      if (text(condition, "type") == "PodScheduled" && text(condition, "status") == "False") {
        return joined(text(condition, "reason"), text(condition, "message"));
      }
    }
  }
  return "Kubernetes has not started its pod";
}

TaskUpdate failed(const Json& pod, TaskUpdate update) {
  const Json& end = at(container_state(pod), "terminated");
  const Json& code = at(end, "exitCode");
  if (text(end, "reason") == "OOMKilled") {
    update.state = TaskState::ended;
    update.status = ExitStatus{0, SIGKILL};
    update.ended_by = EndedBy::out_of_memory;
    update.reason = "ran out of memory; Kubernetes killed it";
    return update;
  }
  // The job starts another pod, unless it has failed as a whole: see after_job().
  update.state = TaskState::waiting;
  if (code.is_number_integer()) update.status = ExitStatus{code.get<int>() & 0xff, 0};
  const std::string of_pod =
      joined(text(at(pod, "status"), "reason"), text(at(pod, "status"), "message"));
  update.reason = "its pod failed: " +
                  (of_pod.empty() ? joined(text(end, "reason"), text(end, "message")) : of_pod);
  return update;
}

TaskUpdate pod_update(const Json& pod) {
  TaskUpdate update{.where = text(at(pod, "spec"), "nodeName")};
  const std::string phase = text(at(pod, "status"), "phase");
  const bool node_lost = text(at(pod, "status"), "reason") == "NodeLost" || phase == "Unknown";
  if (node_lost) {
    update.state = TaskState::lost;
    update.reason = fmt::format("its node {} does not answer", update.where);
  } else if (phase == "Failed") {
    update = failed(pod, std::move(update));
  } else if (phase == "Running") {
    update.state = TaskState::running;
  } else if (phase == "Succeeded") {
    // The task has written its status before it ended, which takes precedence over this.
    update.state = TaskState::running;
    update.reason = "its pod has ended; its status has not arrived on this file system yet";
  } else {
    update.reason = why_waiting(pod);
  }
  return update;
}

Result<Json> parse(std::string_view json) {
  TACHO_TRY(document, parse_json(json).in("kubectl"));
  if (!document.is_object()) {
    return Error{ErrorCode::invalid, "kubectl: the output is not a JSON object"};
  }
  return document;
}

}  // namespace

Result<std::map<std::size_t, PodUpdate>> parse_pods(std::string_view json) {
  TACHO_TRY(document, parse(json));
  const Json& items = at(document, "items");
  if (!items.is_array()) {
    return Error{ErrorCode::invalid, "kubectl: the output contains no list of pods"};
  }
  std::map<std::size_t, PodUpdate> tasks;
  std::map<std::size_t, std::string> newest;
  for (const Json& pod : items) {
    const auto index = index_of(pod);
    if (!index) continue;
    const std::string made = text(at(pod, "metadata"), "creationTimestamp");
    TaskUpdate update = pod_update(pod);
    const bool first = !tasks.contains(*index);
    PodUpdate& task = tasks[*index];
    const std::string phase = text(at(pod, "status"), "phase");
    if (phase != "Succeeded" && phase != "Failed") {
      task.pods.push_back(text(at(pod, "metadata"), "name"));
    }
    const bool settled = !first && task.update.ended_by == EndedBy::out_of_memory;
    const bool settles = update.ended_by == EndedBy::out_of_memory;
    if (first || settles || (!settled && made >= newest[*index])) {
      task.update = std::move(update);
      newest[*index] = made;
    }
  }
  return tasks;
}

Result<JobStatus> parse_job(std::string_view json) {
  TACHO_TRY(document, parse(json));
  JobStatus status;
  const Json& conditions = at(at(document, "status"), "conditions");
  if (!conditions.is_array()) return status;
  for (const Json& condition : conditions) {
    if (text(condition, "status") != "True") continue;
    status.complete = status.complete || text(condition, "type") == "Complete";
    if (text(condition, "type") == "Failed") {
      status.failed = true;
      status.reason = joined(text(condition, "reason"), text(condition, "message"));
    }
  }
  return status;
}

TaskUpdate after_job(TaskUpdate update, const JobStatus& job) {
  if (!job.failed || update.state != TaskState::waiting) return update;
  // With an exit code, take-task itself could not run; without one, there never was a pod.
  update.state = update.status ? TaskState::ended : TaskState::lost;
  update.reason = joined(update.reason, "the job has failed: " + job.reason);
  return update;
}

}  // namespace tacho
