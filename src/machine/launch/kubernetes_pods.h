#pragma once

#include <cstddef>
#include <map>
#include <optional>
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
  bool cannot_start = false;      // its container cannot be created
};

struct JobPods {
  std::map<std::size_t, PodUpdate> tasks;
  // A waiting pod that has no task yet: pods of a job that is not indexed choose one when they run.
  std::optional<PodUpdate> unassigned;
};
// Parses the output of 'kubectl get pods -o json' for one job. `takers` contains the task that a
// pod took, by the pod's name.
Result<JobPods> parse_pods(std::string_view json,
                           const std::map<std::string, std::size_t>& takers = {});

struct JobStatus {
  bool complete = false;
  bool failed = false;
  bool suspended = false;    // a queue holds it back
  bool has_all_pods = true;  // that may run at a time
  std::string reason = {};   // of the failure
};
// Parses the output of 'kubectl get job NAME -o json'.
Result<JobStatus> parse_job(std::string_view json);

// Parses the output of 'kubectl get --raw /version'; returns the minor version.
Result<int> parse_version(std::string_view json);

// Parses the output of 'kubectl get events -o json': the newest warning about each object, by its
// name.
Result<std::map<std::string, std::string>> parse_warnings(std::string_view json);

// Updates a task whose pod failed: while the job is running, it gets another pod; a failed job
// starts none.
TaskUpdate after_job(TaskUpdate update, const JobStatus& job);

}  // namespace tacho
