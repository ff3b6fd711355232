#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "record/describe_request.h"
#include "record/environment_spec.h"
#include "record/run_spec.h"

namespace tacho {

// $TACHO_WORKER, else the tacho-worker beside this program.
Result<std::filesystem::path> find_worker();

// The worker of a run, by where it lives.
struct WorkerChoice {
  std::string program;
  std::string instead;  // the machine's own, where an image has none of that name
  std::vector<std::filesystem::path> files;  // of the machine's, that an environment must see
};
// Bare: find_worker(). In an image: $TACHO_WORKER if it is set; else the image's own tacho-worker,
// or that beside this program, which then takes the image's libraries.
Result<WorkerChoice> choose_worker(EnvironmentKind kind);

// The files and folders of the machine that a spec makes a worker read: its dataset, which must be
// there, weights, a vocabulary.
Result<std::vector<std::filesystem::path>> files_read_by(const RunSpec& spec,
                                                         const std::filesystem::path& home);

// What the worker says of torch on this machine ('tacho-worker describe').
Result<Json> describe_worker(const std::filesystem::path& worker);

// What the worker finds a model to cost ('tacho-worker describe-model').
Result<Json> describe_model(const std::filesystem::path& worker, const DescribeRequest& request);

}  // namespace tacho
