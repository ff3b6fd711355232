#include "machine/comm/shm_segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>

namespace tacho {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, missing in older headers

Error no_segment(std::size_t bytes, int error_number) {
  return system_error("shared memory", error_number)
      .in(fmt::format("{} for collectives", human(Bytes{static_cast<std::int64_t>(bytes)})));
}

}  // namespace

Result<std::unique_ptr<ShmSegment>> ShmSegment::make(std::size_t bytes) {
  UniqueFd fd(::memfd_create("tacho-collectives", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return no_segment(bytes, errno);
  int refused = 0;
  while ((refused = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes))) == EINTR) {
  }
  if (refused != 0) return no_segment(bytes, refused);
  // No process that has the segment can shrink it for the others.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return no_segment(bytes, errno);
  }
  return map(std::move(fd), bytes);
}

Result<std::unique_ptr<ShmSegment>> ShmSegment::map(UniqueFd fd, std::size_t bytes) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return no_segment(bytes, errno);
  if (static_cast<std::size_t>(status.st_size) != bytes) {
    return Error{ErrorCode::invalid,
                 fmt::format("the shared memory of rank 0 has {} bytes, but {} are expected: start "
                             "every rank with the same version of Tacho",
                             status.st_size, bytes)};
  }
  // Reserves extra address space, because huge pages are aligned to their size.
  void* reserved =
      ::mmap(nullptr, bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return no_segment(bytes, errno);
  const std::size_t skip = kHugePage - reinterpret_cast<std::uintptr_t>(reserved) % kHugePage;
  auto* data = static_cast<std::byte*>(reserved) + skip % kHugePage;
  std::unique_ptr<ShmSegment> segment(new ShmSegment(std::move(fd), reserved, data, bytes));
  // MAP_POPULATE takes the page faults here instead of in the first collective.
  if (::mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
             segment->fd(), 0) == MAP_FAILED) {
    return no_segment(bytes, errno);
  }
  // Twice as fast at 10 MB. Best effort: before Linux 6.1, or if free memory is fragmented, the
  // pages stay small.
  if (bytes >= kHugePage) ::madvise(data, bytes, kCollapse);
  return segment;
}

ShmSegment::~ShmSegment() { ::munmap(reserved_, bytes_ + kHugePage); }

}  // namespace tacho
