#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "launch/open_launcher.h"

namespace tacho {

// Where the contract is held against a launcher: two places at which tasks run at a time, which
// must be there already. Those of Slurm are the nodes of a cluster (tests/e2e/with_slurm.py), those
// of Kubernetes a cluster that shares a folder with this machine (script/test-kubernetes).
class ContractPlace {
 public:
  explicit ContractPlace(LauncherKind kind);
  ~ContractPlace();
  ContractPlace(const ContractPlace&) = delete;
  ContractPlace& operator=(const ContractPlace&) = delete;

  // Why it cannot be tried here; "" if it can.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  // As by another process: nothing but the folder is the same.
  [[nodiscard]] std::unique_ptr<Launcher> open() const;
  // On a file system that tasks see.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  LauncherKind kind_;
  LauncherSettings settings_;
  std::filesystem::path folder_;
  std::string missing_;
};

}  // namespace tacho
