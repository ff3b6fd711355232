#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/scratch_folder.h"
#include "env/environment.h"

namespace tacho {

// The smallest system a program can live in: busybox and a few folders, handed to an engine as an
// image of its own. Gone with this object, from the engine too.
class ContractImage {
 public:
  // ErrorCode::unavailable where the engine or busybox is missing.
  static Result<std::unique_ptr<ContractImage>> make(EnvironmentKind kind);
  ~ContractImage();
  ContractImage(const ContractImage&) = delete;
  ContractImage& operator=(const ContractImage&) = delete;

  // As a spec names it; "" for bare.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  explicit ContractImage(EnvironmentKind kind) : kind_(kind) {}
  Result<void> make_root();
  Result<void> hand_over();

  EnvironmentKind kind_;
  ScratchFolder folder_;
  std::string name_;
};

}  // namespace tacho
