#include "machine/env/docker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "machine/env/container_spec.h"

namespace tacho {

std::string Docker::how_to_install() const { return "apt-get install docker.io"; }

Result<void> Docker::check_engine() const {
  TACHO_TRY(answer, ask({"version", "--format", version_format()}));
  if (!answer.status.success()) {
    if (answer.err.find("permission denied") != std::string::npos) {
      return Error{ErrorCode::unavailable,
                   "docker: no permission to use its daemon; run as root, or join its group with "
                   "'usermod -aG docker USER' and log in again"};
    }
    const char* host = std::getenv("DOCKER_HOST");
    return Error{ErrorCode::unavailable,
                 fmt::format("docker: its daemon does not answer at {}; start it with 'systemctl "
                             "start docker', or set DOCKER_HOST to its address",
                             host == nullptr ? "its default address" : host)};
  }
  if (!spec().gpus.empty() && !find_program("nvidia-container-runtime-hook").ok()) {
    return Error{ErrorCode::unavailable,
                 "docker: GPUs need NVIDIA's package nvidia-container-toolkit; install it and "
                 "restart the daemon"};
  }
  return {};
}

std::vector<std::string> Docker::run_options() const {
  std::vector<std::string> words{fmt::format("--user={}:{}", ::geteuid(), ::getegid())};
  const std::string& gpus = spec().gpus;
  if (gpus == "all") words.emplace_back("--gpus=all");
  // The value is itself a list, so that a device list needs quotes.
  if (!gpus.empty() && gpus != "all") words.push_back("--gpus=" + csv_field("device=" + gpus));
  return words;
}

}  // namespace tacho
