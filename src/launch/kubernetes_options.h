#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace tacho {

struct KubernetesOptions {
  std::string image;
  // The volume that tasks share with this machine: a claim, or a folder that every node has.
  std::string claim;
  std::string host_path;
  std::string mount;  // where it is seen, here as there
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
  std::chrono::milliseconds between_questions{5000};
};

// An error names the option that is unknown, missing or makes no sense.
Result<KubernetesOptions> kubernetes_options(const std::map<std::string, std::string>& options);

}  // namespace tacho
