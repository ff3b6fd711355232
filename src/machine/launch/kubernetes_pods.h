#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/launch/launcher.h"

namespace tacho {

// The state of one task in Kubernetes: that of its newest pod, or of an older one that ran out of
// memory, because the next one would too.
struct PodUpdate {
  TaskUpdate update;
  std::vector<std::string> pods;  // that have not ended
};

// Parses the output of 'kubectl get pods -o json' for one job; the result is by task number.
Result<std::map<std::size_t, PodUpdate>> parse_pods(std::string_view json);

struct JobStatus {
  bool complete = false;
  bool failed = false;
  std::string reason = {};  // of the failure
};
// Parses the output of 'kubectl get job NAME -o json'.
Result<JobStatus> parse_job(std::string_view json);

// Updates a task whose pod failed: while the job is running, it gets another pod; a failed job
// starts none.
TaskUpdate after_job(TaskUpdate update, const JobStatus& job);

}  // namespace tacho
