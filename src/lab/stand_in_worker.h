#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/scratch_folder.h"

namespace tacho {

// For tests: a worker that is a shell script. It is called as a worker is, `SCRIPT run FOLDER`, so
// $2 is the run's folder. While it lives, $TACHO_WORKER names it and temporary files go beside it.
class StandInWorker {
 public:
  explicit StandInWorker(const std::string& script) {
    std::filesystem::create_directory(temporary());
    std::ofstream(path()) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
    ::setenv("TACHO_WORKER", path().c_str(), 1);
    ::setenv("TMPDIR", temporary().c_str(), 1);
  }
  ~StandInWorker() {
    ::unsetenv("TACHO_WORKER");
    ::unsetenv("TMPDIR");
  }
  StandInWorker(const StandInWorker&) = delete;
  StandInWorker& operator=(const StandInWorker&) = delete;

  [[nodiscard]] const std::filesystem::path& home() const { return scratch_.path(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }

 private:
  const ScratchFolder scratch_;
  const std::filesystem::path path_ = scratch_.path() / "worker.sh";
  const std::filesystem::path temporary_ = scratch_.path() / "tmp";
};

}  // namespace tacho
