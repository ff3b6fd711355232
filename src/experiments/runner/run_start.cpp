#include "experiments/runner/run_start.h"

#include "base/version.h"
#include "machine/probe/host_probe.h"

namespace tacho {

RunStarted start_of_run() {
  RunStarted started;
  started.tacho_version = kVersion;
  started.tacho_commit = kCommit;
  started.host = read_host();
  return started;
}

}  // namespace tacho
