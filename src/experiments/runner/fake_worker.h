#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/scratch_folder.h"

namespace tacho {

// A shell script that replaces the worker in tests. It is called as `SCRIPT run FOLDER`, so $2 is
// the run's folder. While the object exists, $TACHO_WORKER names the script and $TMPDIR a folder
// next to it.
class FakeWorker {
 public:
  explicit FakeWorker(const std::string& script) {
    std::filesystem::create_directory(temporary());
    std::ofstream(path()) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
    ::setenv("TACHO_WORKER", path().c_str(), 1);
    ::setenv("TMPDIR", temporary().c_str(), 1);
  }
  ~FakeWorker() {
    ::unsetenv("TACHO_WORKER");
    ::unsetenv("TMPDIR");
  }
  FakeWorker(const FakeWorker&) = delete;
  FakeWorker& operator=(const FakeWorker&) = delete;

  [[nodiscard]] const std::filesystem::path& home() const { return scratch_.path(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }

 private:
  const ScratchFolder scratch_;
  const std::filesystem::path path_ = scratch_.path() / "worker.sh";
  const std::filesystem::path temporary_ = scratch_.path() / "tmp";
};

}  // namespace tacho
