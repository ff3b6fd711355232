#pragma once

#include <cstddef>
#include <memory>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

// Memory shared by processes (memfd). It has no name, so nothing remains when the last process that
// maps it ends in any way, and the size of /dev/shm does not matter.
class ShmSegment {
 public:
  // Allocates all pages: too little memory is an error here, not a SIGBUS later.
  static Result<std::unique_ptr<ShmSegment>> make(std::size_t bytes);
  // Maps a segment that another process made.
  static Result<std::unique_ptr<ShmSegment>> map(UniqueFd fd, std::size_t bytes);

  ~ShmSegment();
  ShmSegment(const ShmSegment&) = delete;
  ShmSegment& operator=(const ShmSegment&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  ShmSegment(UniqueFd fd, void* reserved, std::byte* data, std::size_t bytes)
      : fd_(std::move(fd)), reserved_(reserved), data_(data), bytes_(bytes) {}

  UniqueFd fd_;
  void* reserved_;  // address range that contains the data
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace tacho
