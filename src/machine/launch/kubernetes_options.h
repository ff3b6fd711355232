#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace tacho {

struct KubernetesOptions {
  std::string image;
  // The volume that tasks share with this machine: a claim, or a folder of every node.
  std::string claim;
  std::string host_path;
  std::string mount;  // its path, the same on this machine and in pods
  std::string name_space;
  std::string context;  // of kubectl's configuration
  std::string tacho = "/usr/local/bin/tacho";
  std::string gpu_resource = "nvidia.com/gpu";
  std::string service_account;
  std::string pull_policy;
  std::string pull_secret;
  std::string priority_class;
  std::string runtime_class;
  std::map<std::string, std::string> node_selector;
  std::int64_t user = 0;  // never root
  std::int64_t group = 0;
  std::chrono::milliseconds poll_interval{5000};
};

// The error names an option that is unknown, missing or makes no sense.
Result<KubernetesOptions> kubernetes_options(const std::map<std::string, std::string>& options);

}  // namespace tacho
