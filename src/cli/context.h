#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "core/store/run_store.h"
#include "experiments/runner/runner.h"

namespace tacho {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;

// Shared by all commands: the output streams, the words of the command line, the exit code.
class Context {
 public:
  const Terminal out{1};
  const Terminal err{2};
  // The words after the first --, unchanged: CLI11 would split a word in brackets into a list.
  std::vector<std::string> behind_dashes;
  std::vector<std::string> words;  // the whole command line, with the program's name

  // Runs a command and keeps its exit code: 128 plus the signal if it was interrupted.
  void run(const std::function<Result<int>()>& work);
  // The same, but the exit code of `work` counts even if it was interrupted.
  void run_with_own_exit_code(const std::function<Result<int>()>& work);
  [[nodiscard]] int exit_code() const { return exit_code_; }

  // Opens the store and records the end of runs whose programs were killed.
  Result<RunStore> open_store() const;
  [[nodiscard]] Runner runner(RunStore& store, const std::filesystem::path& home,
                              RunHook* hook = nullptr) const {
    return {home, store, interrupts(), hook};
  }

  void print(std::string_view text) const;  // to standard output
  // Prints progress to standard error, if that is a terminal.
  void say(std::string_view line) const;
  [[nodiscard]] auto sayer() const {
    return [this](std::string_view line) { say(line); };
  }
  void warn(std::string_view sentence) const;

 private:
  int exit_code_ = kSuccess;
};

// Prints "tacho: MESSAGE" to standard error and returns the exit code of the error.
int report_error(const Terminal& terminal, const Error& error);

}  // namespace tacho
