#include "launch/kubernetes_pods.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <optional>

#include "base/json_object.h"

namespace tacho {
namespace {

// Of another's document only what is of use is read; what is missing reads as nothing.
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
  const std::string digits =
      text(at(at(pod, "metadata"), "annotations"), "batch.kubernetes.io/job-completion-index");
  std::size_t index = 0;
  const char* end = digits.data() + digits.size();
  const auto [at_end, problem] = std::from_chars(digits.data(), end, index);
  if (problem != std::errc{} || at_end != end) return std::nullopt;
  return index;
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
  const std::string of_container = joined(text(waiting, "reason"), text(waiting, "message"));
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

TaskNews failed(const Json& pod, TaskNews news) {
  const Json& end = at(container_state(pod), "terminated");
  const Json& code = at(end, "exitCode");
  if (text(end, "reason") == "OOMKilled") {
    news.state = TaskState::ended;
    news.status = ExitStatus{0, SIGKILL};
    news.ended_by = EndedBy::out_of_memory;
    news.reason = "ran out of memory; Kubernetes killed it";
    return news;
  }
  // The job starts another, unless it has failed as a whole: after_job().
  news.state = TaskState::waiting;
  if (code.is_number_integer()) news.status = ExitStatus{code.get<int>() & 0xff, 0};
  const std::string of_pod =
      joined(text(at(pod, "status"), "reason"), text(at(pod, "status"), "message"));
  news.reason = "its pod failed: " +
                (of_pod.empty() ? joined(text(end, "reason"), text(end, "message")) : of_pod);
  return news;
}

TaskNews news_of(const Json& pod) {
  TaskNews news{.where = text(at(pod, "spec"), "nodeName")};
  const std::string phase = text(at(pod, "status"), "phase");
  const bool node_lost = text(at(pod, "status"), "reason") == "NodeLost" || phase == "Unknown";
  if (node_lost) {
    news.state = TaskState::lost;
    news.reason = fmt::format("its node {} does not answer", news.where);
  } else if (phase == "Failed") {
    news = failed(pod, std::move(news));
  } else if (phase == "Running") {
    news.state = TaskState::running;
  } else if (phase == "Succeeded") {
    // It has left word before it ended, which is read before this counts.
    news.state = TaskState::running;
    news.reason = "its pod has ended; its word has not arrived on this file system yet";
  } else {
    news.reason = why_waiting(pod);
  }
  return news;
}

Result<Json> parse(std::string_view json) {
  TACHO_TRY(document, parse_json(json).in("kubectl"));
  if (!document.is_object()) return Error{ErrorCode::invalid, "kubectl: its answer is no object"};
  return document;
}

}  // namespace

Result<std::map<std::size_t, PodNews>> parse_pods(std::string_view json) {
  TACHO_TRY(document, parse(json));
  const Json& items = at(document, "items");
  if (!items.is_array()) return Error{ErrorCode::invalid, "kubectl: its answer lists no pods"};
  std::map<std::size_t, PodNews> tasks;
  std::map<std::size_t, std::string> newest;
  for (const Json& pod : items) {
    const auto index = index_of(pod);
    if (!index) continue;
    const std::string made = text(at(pod, "metadata"), "creationTimestamp");
    TaskNews news = news_of(pod);
    const bool first = !tasks.contains(*index);
    PodNews& task = tasks[*index];
    const std::string phase = text(at(pod, "status"), "phase");
    if (phase != "Succeeded" && phase != "Failed") {
      task.pods.push_back(text(at(pod, "metadata"), "name"));
    }
    const bool settled = !first && task.news.ended_by == EndedBy::out_of_memory;
    const bool settles = news.ended_by == EndedBy::out_of_memory;
    if (first || settles || (!settled && made >= newest[*index])) {
      task.news = std::move(news);
      newest[*index] = made;
    }
  }
  return tasks;
}

Result<JobCourse> parse_job(std::string_view json) {
  TACHO_TRY(document, parse(json));
  JobCourse course;
  const Json& conditions = at(at(document, "status"), "conditions");
  if (!conditions.is_array()) return course;
  for (const Json& condition : conditions) {
    if (text(condition, "status") != "True") continue;
    course.complete = course.complete || text(condition, "type") == "Complete";
    if (text(condition, "type") == "Failed") {
      course.failed = true;
      course.reason = joined(text(condition, "reason"), text(condition, "message"));
    }
  }
  return course;
}

TaskNews after_job(TaskNews news, const JobCourse& job) {
  if (!job.failed || news.state != TaskState::waiting) return news;
  // One whose own program could not even take the task has an exit code; others never had a pod.
  news.state = news.status ? TaskState::ended : TaskState::lost;
  news.reason = joined(news.reason, "the job has failed: " + job.reason);
  return news;
}

}  // namespace tacho
