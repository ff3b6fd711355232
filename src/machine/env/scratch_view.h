#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/scratch_folder.h"

namespace tacho {

// Lets this process and its children see folders with their files, and keeps what they write
// separate: the folders are overlaid in a mount namespace of this process. The overlays end with
// the last of these processes.
class ScratchView {
 public:
  // Call it while this process has one thread. Folders in `shared` stay as they are.
  static Result<ScratchView> enter(const std::vector<std::filesystem::path>& folders,
                                   const std::vector<std::filesystem::path>& shared);
  ScratchView(ScratchView&&) = default;
  ScratchView& operator=(ScratchView&&) = delete;
  ~ScratchView();
  // Forgets what was written.
  Result<void> reset();

 private:
  // A path, and the folder that was there before.
  struct Place {
    std::filesystem::path path;
    UniqueFd before;
  };
  explicit ScratchView(std::unique_ptr<ScratchFolder> scratch) : scratch_(std::move(scratch)) {}
  [[nodiscard]] Result<void> mount_all() const;
  [[nodiscard]] Result<void> unmount_all() const;

  std::unique_ptr<ScratchFolder> scratch_;
  std::vector<Place> folders_;
  std::vector<Place> shared_;
  int round_ = 0;  // each has an upper layer of its own
};

}  // namespace tacho
