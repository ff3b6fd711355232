#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/terminal.h"
#include "cli/interrupts.h"
#include "lab/lab.h"
#include "store/run_store.h"

namespace tacho {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;

// What every subcommand shares: where to print, where Tacho lives.
class Context {
 public:
  const Terminal out{1};
  const Terminal err{2};
  // What stands behind the first --, as it was typed: CLI11 takes a word in brackets for a list.
  std::vector<std::string> behind_dashes;
  std::vector<std::string> words;  // all of them, the program's name first

  // A subcommand's work; its exit code becomes the program's.
  void run(const std::function<Result<int>()>& work);
  [[nodiscard]] int exit_code() const { return exit_code_; }

  // The store, with the runs of killed programs settled.
  Result<RunStore> open_store() const;
  [[nodiscard]] Lab lab(RunStore& store, const std::filesystem::path& home) const {
    return {home, store, interrupts()};
  }

  void print(std::string_view text) const;  // to standard output
  // For the person who waits: standard error, and only where someone is there to read it.
  void say(std::string_view line) const;
  void warn(std::string_view sentence) const;

 private:
  int exit_code_ = kSuccess;
};

// "tacho: MESSAGE" on standard error; the exit code that fits.
int report_error(const Terminal& terminal, const Error& error);

}  // namespace tacho
