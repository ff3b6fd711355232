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
  std::string queue;  // of Kueue
  std::map<std::string, std::string> node_selector;
  // Kubernetes before 1.24 has no Indexed Jobs: each pod takes the next task instead.
  bool is_indexed = true;
  std::int64_t user = 0;  // never root
  std::int64_t group = 0;
  std::chrono::milliseconds poll_interval{5000};
  // A task fails if its container cannot be created for this long.
  std::chrono::milliseconds give_up_after{60000};
};

// The error names an option that is unknown, missing or makes no sense.
Result<KubernetesOptions> kubernetes_options(const std::map<std::string, std::string>& options);

}  // namespace tacho
