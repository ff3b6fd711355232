#pragma once

#include <cstddef>
#include <memory>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

// Memory that processes share. It has no name in any folder, so nothing is left when the last
// process that holds it ends, however it ends, and the size of /dev/shm does not matter.
class ShmSegment {
 public:
  // All of it is there when this returns: too little memory is an error here, no SIGBUS later.
  static Result<std::unique_ptr<ShmSegment>> make(std::size_t bytes);
  // One that another process made.
  static Result<std::unique_ptr<ShmSegment>> map(UniqueFd fd, std::size_t bytes);

  ~ShmSegment();
  ShmSegment(const ShmSegment&) = delete;
  ShmSegment& operator=(const ShmSegment&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  ShmSegment(UniqueFd fd, void* room, std::byte* data, std::size_t bytes)
      : fd_(std::move(fd)), room_(room), data_(data), bytes_(bytes) {}

  UniqueFd fd_;
  void* room_;  // what is mapped; the data is in it
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace tacho
