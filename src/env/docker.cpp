#include "env/docker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "env/stay.h"

namespace tacho {

std::string Docker::how_to_install() const { return "apt-get install docker.io"; }

Result<void> Docker::check_engine() const {
  TACHO_TRY(answer, ask({"version", "--format", version_format()}));
  if (!answer.status.success()) {
    if (answer.err.find("permission denied") != std::string::npos) {
      return Error{ErrorCode::unavailable,
                   "docker: no right to talk to its daemon; run as root, or join its group with "
                   "'usermod -aG docker USER' and log in again"};
    }
    const char* host = std::getenv("DOCKER_HOST");
    return Error{ErrorCode::unavailable,
                 fmt::format("docker: its daemon does not answer at {}; start it with 'systemctl "
                             "start docker', or set DOCKER_HOST to where it is",
                             host == nullptr ? "its usual place" : host)};
  }
  if (!spec().gpus.empty() && !find_program("nvidia-container-runtime-hook").ok()) {
    return Error{ErrorCode::unavailable,
                 "docker: it reaches no GPU without nvidia-container-toolkit; install that package "
                 "of NVIDIA's and restart the daemon"};
  }
  return {};
}

std::vector<std::string> Docker::run_options() const {
  std::vector<std::string> words{fmt::format("--user={}:{}", ::geteuid(), ::getegid())};
  const std::string& gpus = spec().gpus;
  if (gpus == "all") words.emplace_back("--gpus=all");
  // Its value is itself a list, so that one with commas in it goes in quotes.
  if (!gpus.empty() && gpus != "all") words.push_back("--gpus=" + csv_field("device=" + gpus));
  return words;
}

}  // namespace tacho
