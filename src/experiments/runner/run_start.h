#pragma once

#include "core/record/event.h"

namespace tacho {

// Returns the first event of a run without a worker: version, commit and host.
RunStarted start_of_run();

}  // namespace tacho
