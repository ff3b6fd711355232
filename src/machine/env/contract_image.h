#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/scratch_folder.h"
#include "machine/env/environment.h"

namespace tacho {

// A minimal image for tests: busybox and a few folders. The destructor removes it, also from the
// engine.
class ContractImage {
 public:
  // Returns ErrorCode::unavailable if the engine or busybox is missing.
  static Result<std::unique_ptr<ContractImage>> make(EnvironmentKind kind);
  ~ContractImage();
  ContractImage(const ContractImage&) = delete;
  ContractImage& operator=(const ContractImage&) = delete;

  // The name for a spec; "" for bare.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  explicit ContractImage(EnvironmentKind kind) : kind_(kind) {}
  Result<void> make_root();
  Result<void> import_image();

  EnvironmentKind kind_;
  ScratchFolder folder_;
  std::string name_;
};

}  // namespace tacho
