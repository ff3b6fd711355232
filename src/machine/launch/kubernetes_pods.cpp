#include "machine/launch/kubernetes_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>

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

// Reasons of a container that cannot be created as its pod asks for.
constexpr std::array<std::string_view, 8> kCannotStart{
    "CreateContainerConfigError", "CreateContainerError", "ErrImageNeverPull", "ErrImagePull",
    "ImageInspectError",          "ImagePullBackOff",     "InvalidImageName",  "RunContainerError"};

std::optional<std::size_t> index_of(const Json& pod,
                                    const std::map<std::string, std::size_t>& takers) {
  const Json& metadata = at(pod, "metadata");
  const auto taken = takers.find(text(metadata, "name"));
  if (taken != takers.end()) return taken->second;
  return parse_number<std::size_t>(
      text(at(metadata, "annotations"), "batch.kubernetes.io/job-completion-index"));
}

int number(const Json& json, const char* key, int otherwise) {
  const Json& value = at(json, key);
  return value.is_number_integer() ? value.get<int>() : otherwise;
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

bool cannot_start(const Json& pod) {
  const std::string reason = text(at(container_state(pod), "waiting"), "reason");
  return std::find(kCannotStart.begin(), kCannotStart.end(), reason) != kCannotStart.end();
}

// "" if the pod does not say.
std::string why_waiting(const Json& pod) {
  const Json& waiting = at(container_state(pod), "waiting");
  const std::string reason = text(waiting, "reason");
  if (!reason.empty() && reason != "ContainerCreating" && reason != "PodInitializing") {
    return joined(reason, text(waiting, "message"));
  }
  const Json& conditions = at(at(pod, "status"), "conditions");
  if (conditions.is_array()) {
    for (const Json& condition : conditions) {
      if (text(condition, "type") == "PodScheduled" && text(condition, "status") == "False") {
        return joined(text(condition, "reason"), text(condition, "message"));
      }
    }
  }
  return "";
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
    update.is_hindered = !update.reason.empty();
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

Result<JobPods> parse_pods(std::string_view json,
                           const std::map<std::string, std::size_t>& takers) {
  TACHO_TRY(document, parse(json));
  const Json& items = at(document, "items");
  if (!items.is_array()) {
    return Error{ErrorCode::invalid, "kubectl: the output contains no list of pods"};
  }
  JobPods pods;
  std::map<std::size_t, std::string> newest;
  for (const Json& pod : items) {
    const auto index = index_of(pod, takers);
    const std::string name = text(at(pod, "metadata"), "name");
    const std::string phase = text(at(pod, "status"), "phase");
    TaskUpdate update = pod_update(pod);
    if (!index) {
      if (phase == "Pending") pods.unassigned = {std::move(update), {name}, cannot_start(pod)};
      continue;
    }
    const std::string made = text(at(pod, "metadata"), "creationTimestamp");
    const bool first = !pods.tasks.contains(*index);
    PodUpdate& task = pods.tasks[*index];
    if (phase != "Succeeded" && phase != "Failed") {
      task.pods.push_back(name);
    }
    const bool settled = !first && task.update.ended_by == EndedBy::out_of_memory;
    const bool settles = update.ended_by == EndedBy::out_of_memory;
    if (first || settles || (!settled && made >= newest[*index])) {
      task.update = std::move(update);
      task.cannot_start = cannot_start(pod);
      newest[*index] = made;
    }
  }
  return pods;
}

Result<JobStatus> parse_job(std::string_view json) {
  TACHO_TRY(document, parse(json));
  JobStatus status;
  const Json& spec = at(document, "spec");
  const Json& state = at(document, "status");
  const int left = number(spec, "completions", 1) - number(state, "succeeded", 0);
  status.has_all_pods =
      number(state, "active", 0) >= std::min(number(spec, "parallelism", 1), left);
  status.suspended = at(spec, "suspend") == true;
  const Json& conditions = at(state, "conditions");
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

Result<int> parse_version(std::string_view json) {
  TACHO_TRY(document, parse(json));
  std::string minor = text(document, "minor");  // some distributions append '+'
  minor.resize(std::min(minor.size(), minor.find_first_not_of("0123456789")));
  if (const auto version = parse_number<int>(minor)) return *version;
  return Error{ErrorCode::invalid, "kubectl: the API server does not say its version"};
}

Result<std::map<std::string, std::string>> parse_warnings(std::string_view json) {
  TACHO_TRY(document, parse(json));
  std::map<std::string, std::string> warnings;
  std::map<std::string, std::string> newest;
  const Json& items = at(document, "items");
  if (!items.is_array()) return warnings;
  for (const Json& event : items) {
    if (text(event, "type") != "Warning") continue;
    const std::string object = text(at(event, "involvedObject"), "name");
    // Of a series only the first and the last time are kept; newer interfaces have one time.
    const std::string last = text(event, "lastTimestamp");
    const std::string time = last.empty() ? text(event, "eventTime") : last;
    if (warnings.contains(object) && time < newest[object]) continue;
    newest[object] = time;
    warnings[object] = joined(text(event, "reason"), text(event, "message"));
  }
  return warnings;
}

TaskUpdate after_job(TaskUpdate update, const JobStatus& job) {
  if (!job.failed || update.state != TaskState::waiting) return update;
  // With an exit code, take-task itself could not run; without one, there never was a pod.
  update.state = update.status ? TaskState::ended : TaskState::lost;
  update.reason = joined(update.reason, "the job has failed: " + job.reason);
  return update;
}

}  // namespace tacho
