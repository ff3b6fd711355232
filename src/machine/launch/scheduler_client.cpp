#include "machine/launch/scheduler_client.h"

#include <fmt/format.h>

namespace tacho {

Result<Captured> run_client(const std::vector<std::string>& argv, std::chrono::milliseconds limit) {
  auto answer = capture({.argv = argv}, limit);
  if (answer.ok()) return answer;
  // Not "not found", which would mean the batch: nothing is known if the client cannot be started.
  return Error{ErrorCode::unavailable, answer.error().message};
}

Error refusal(const std::string& program, const Captured& answer, ErrorCode code) {
  std::string_view text = answer.err;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const auto line = text.rfind('\n');
  if (line != std::string_view::npos) text.remove_prefix(line + 1);
  if (text.starts_with(program + ": ")) text.remove_prefix(program.size() + 2);
  if (text.starts_with("error: ")) text.remove_prefix(7);
  return {code, fmt::format("{}: {}", program,
                            text.empty() ? "ended with " + describe(answer.status) : text)};
}

Result<std::string> own_program() {
  std::error_code problem;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) return path.string();
  return Error{ErrorCode::io, "/proc/self/exe: " + problem.message()};
}

}  // namespace tacho
