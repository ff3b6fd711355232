#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launch/launcher.h"

namespace tacho {

// What Kubernetes says of one task: by the newest of its pods, and by an older one that ran out of
// memory, as the next would again.
struct PodNews {
  TaskNews news;
  std::vector<std::string> pods;  // that are not gone yet
};

// The answer to 'kubectl get pods -o json' for one job, by the tasks' numbers.
Result<std::map<std::size_t, PodNews>> parse_pods(std::string_view json);

struct JobCourse {
  bool complete = false;
  bool failed = false;
  std::string reason = {};  // why it failed
};
// The answer to 'kubectl get job NAME -o json'.
Result<JobCourse> parse_job(std::string_view json);

// What becomes of a task whose pod failed: while the job goes on, another pod. A job that has
// failed starts none.
TaskNews after_job(TaskNews news, const JobCourse& job);

}  // namespace tacho
