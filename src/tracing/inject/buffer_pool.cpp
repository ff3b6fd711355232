#include "tracing/inject/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace tacho {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

BufferPool::~BufferPool() {
  for (std::uint8_t* bytes : all_) ::munmap(bytes, kBufferSize);
}

std::uint8_t* BufferPool::take_empty() {
  const std::lock_guard lock(mutex_);
  if (!empty_.empty()) {
    std::uint8_t* bytes = empty_.back();
    empty_.pop_back();
    return bytes;
  }
  if (all_.size() >= kMostBuffers) return nullptr;
  // New pages are zero, and take no memory until they are written.
  void* bytes =
      ::mmap(nullptr, kBufferSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return nullptr;
  all_.push_back(static_cast<std::uint8_t*>(bytes));
  return all_.back();
}

std::size_t BufferPool::in_use() const {
  const std::lock_guard lock(mutex_);
  return all_.size() - empty_.size();
}

void BufferPool::put_filled(Filled buffer) {
  {
    const std::lock_guard lock(mutex_);
    filled_.push_back(buffer);
  }
  changed_.notify_one();
}

void BufferPool::put_empty(Filled buffer) {
  // The part that was not written is still zero and takes no memory.
  std::memset(buffer.bytes, 0, std::min(buffer.valid_size + kPage, kBufferSize));
  const std::lock_guard lock(mutex_);
  empty_.push_back(buffer.bytes);
}

void BufferPool::stop_waiting() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

}  // namespace tacho
