#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/describe_request.h"
#include "core/record/environment_spec.h"
#include "core/record/run_spec.h"

namespace tacho {

// Returns $TACHO_WORKER, else the tacho-worker next to this program.
Result<std::filesystem::path> find_worker();

// The worker of a run, depending on its environment.
struct WorkerChoice {
  std::string program;
  std::string instead;                       // worker of the machine, if the image has none
  std::vector<std::filesystem::path> files;  // of the machine, to bind into the environment
};
// For a bare run, returns find_worker(). In an image: $TACHO_WORKER if set, else the tacho-worker
// of the image, or the one next to this program with the libraries of the image.
Result<WorkerChoice> choose_worker(EnvironmentKind kind);

// Returns the files and folders of the machine that a worker reads for this spec: the dataset,
// which must exist, weights, and a vocabulary.
Result<std::vector<std::filesystem::path>> files_read_by(const RunSpec& spec,
                                                         const std::filesystem::path& home);

// Describes torch on this machine ('tacho-worker describe').
Result<Json> describe_worker(const std::filesystem::path& worker);

// Returns the cost of a model ('tacho-worker describe-model').
Result<Json> describe_model(const std::filesystem::path& worker, const DescribeRequest& request);

}  // namespace tacho
