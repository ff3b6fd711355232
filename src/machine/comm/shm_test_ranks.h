#pragma once

// Ranks of a ShmGroup for tests: as threads, for the thread sanitizer, or as processes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "machine/comm/shm_group.h"

#define ASSERT_OK(result) \
  if (const auto& shown = (result); !shown.ok()) FAIL() << shown.error().message

namespace tacho {

inline std::string unique_name() {
  static std::atomic<int> count = 0;
  return fmt::format("test-{}-{}", ::getpid(), ++count);
}

inline void in_threads(int ranks, const std::function<void(ShmGroup&)>& body,
                       std::size_t slot_bytes = std::size_t{1} << 16) {
  ShmGroup::Options options{.name = unique_name(), .size = ranks, .slot_bytes = slot_bytes};
  auto made = ShmSegment::make(ShmGroup::segment_bytes(options));
  ASSERT_OK(made);
  const std::shared_ptr<ShmSegment> segment = *std::move(made);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    options.rank = rank;
    threads.emplace_back([=, &body] {
      auto group = ShmGroup::join(options, segment);
      ASSERT_OK(group);
      body(**group);
    });
  }
}

// A process that returns an error message at its end. The destructor kills it.
class TestRank {
 public:
  explicit TestRank(const std::function<std::string()>& body) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) broken_invariant("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      const std::string message = body();
      const auto wrote = write_all(ends[1], message, "pipe");
      ::_exit(wrote.ok() ? 0 : 1);
    }
    ::close(ends[1]);
    pipe_ = UniqueFd(ends[0]);
  }
  TestRank(TestRank&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), pipe_(std::move(other.pipe_)) {}
  TestRank& operator=(TestRank&&) = delete;
  ~TestRank() {
    if (pid_ <= 0) return;
    kill();
    ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill() const { ::kill(pid_, SIGKILL); }

  // Waits for its end.
  std::string message() {
    std::string text;
    std::array<char, 1024> part;
    for (ssize_t got = 0; (got = ::read(pipe_.get(), part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  pid_t pid_ = 0;
  UniqueFd pipe_;
};

inline std::string joined(const ShmGroup::Options& options,
                          const std::function<std::string(ShmGroup&)>& body) {
  auto group = ShmGroup::join(options);
  return group.ok() ? body(**group) : group.error().message;
}

inline std::vector<TestRank> start_processes(ShmGroup::Options options,
                                             const std::function<std::string(ShmGroup&)>& body) {
  std::vector<TestRank> ranks;
  for (options.rank = 0; options.rank < options.size; ++options.rank) {
    ranks.emplace_back([&] { return joined(options, body); });
  }
  return ranks;
}

inline void in_processes(int ranks, const std::function<std::string(ShmGroup&)>& body) {
  auto started = start_processes({.name = unique_name(), .size = ranks}, body);
  for (TestRank& rank : started) EXPECT_EQ(rank.message(), "");
}

}  // namespace tacho
