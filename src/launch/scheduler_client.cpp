#include "launch/scheduler_client.h"

#include <fmt/format.h>

namespace tacho {

Result<Captured> ask_client(const std::vector<std::string>& argv, std::chrono::milliseconds limit) {
  auto answer = capture({.argv = argv}, limit);
  if (answer.ok()) return answer;
  // Not "not found", which means that a batch is: a client that cannot be started says nothing.
  return Error{ErrorCode::unavailable, answer.error().message};
}

Error refusal(const std::string& program, const Captured& answer, ErrorCode code) {
  std::string_view said = answer.err;
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.remove_suffix(1);
  const auto line = said.rfind('\n');
  if (line != std::string_view::npos) said.remove_prefix(line + 1);
  if (said.starts_with(program + ": ")) said.remove_prefix(program.size() + 2);
  if (said.starts_with("error: ")) said.remove_prefix(7);
  return {code, fmt::format("{}: {}", program,
                            said.empty() ? "ended with " + describe(answer.status) : said)};
}

Result<std::string> own_program() {
  std::error_code problem;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) return path.string();
  return Error{ErrorCode::io, "/proc/self/exe: " + problem.message()};
}

}  // namespace tacho
