#include "core/emit/append_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

// Simulates a full disk: the write that reaches the limit is short, the next one fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(AppendFile, RemovesAPieceThatDoesNotFit) {
  const ScratchFolder folder;
  const auto path = folder.path() / "file";
  AppendFile file(UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644)), path);
  ASSERT_TRUE(file.append("first\n").ok());
  {
    const FileSizeLimit full(10);
    const auto refused = file.append("second\n");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message, path.string() + ": File too large");
    EXPECT_EQ(*read_file(path), "first\n");
  }
  ASSERT_TRUE(file.append("third\n").ok());
  EXPECT_EQ(*read_file(path), "first\nthird\n");
}

}  // namespace
}  // namespace tacho
