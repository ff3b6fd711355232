#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "machine/launch/open_launcher.h"

namespace tacho {

// The setup of the contract tests of a launcher: room for two tasks at a time, which must exist
// already. For Slurm these are the nodes of a cluster (tests/e2e/with_slurm.py), for Kubernetes a
// cluster that shares a folder with this machine (script/test-kubernetes).
class ContractSetup {
 public:
  explicit ContractSetup(LauncherKind kind);
  ~ContractSetup();
  ContractSetup(const ContractSetup&) = delete;
  ContractSetup& operator=(const ContractSetup&) = delete;

  // The reason why it cannot be tested here; "" if it can.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  // Opens a launcher like another process would: only the folder is shared.
  [[nodiscard]] std::unique_ptr<Launcher> open() const;
  // A folder on a file system that tasks can access.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  LauncherKind kind_;
  LauncherSettings settings_;
  std::filesystem::path folder_;
  std::string missing_;
};

}  // namespace tacho
