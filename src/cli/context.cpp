#include "cli/context.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/home.h"
#include "base/start_report.h"

namespace tacho {
namespace {

// 2 for wrong input, 1 for everything else.
int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::invalid:
    case ErrorCode::not_found:
      return kUsage;
    case ErrorCode::unavailable:
    case ErrorCode::newer:
    case ErrorCode::io:
    case ErrorCode::out_of_memory:
    case ErrorCode::failed:
      break;
  }
  return kFailure;
}

}  // namespace

int report_error(const Terminal& terminal, const Error& error) {
  report_start_error(error);
  fmt::print(stderr, "{} {}\n", terminal.red("tacho:"), printable(error.message));
  return exit_code_of(error.code);
}

void Context::run(const std::function<Result<int>()>& work) {
  run_with_own_exit_code(work);
  if (exit_code_ != kSuccess && interrupts() > 0) exit_code_ = interrupted_exit_code();
}

void Context::run_with_own_exit_code(const std::function<Result<int>()>& work) {
  const auto code = work();
  exit_code_ = code.ok() ? *code : report_error(err, code.error());
  // A full disk or a closed pipe is noticed only when the buffer is written.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    exit_code_ = report_error(err, {ErrorCode::io, "standard output could not be written"});
  }
}

Result<RunStore> Context::open_store() const {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, RunStore::open(home / "tacho.db"));
  TACHO_CHECK(runner(store, home).reconcile());
  return std::move(store);
}

void Context::print(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void Context::say(std::string_view line) const {
  if (err.interactive()) fmt::print(stderr, "{}\n", err.dim(line));
}

void Context::warn(std::string_view sentence) const {
  fmt::print(stderr, "{} {}\n", err.yellow("tacho: note:"), printable(sentence));
}

}  // namespace tacho
