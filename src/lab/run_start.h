#pragma once

#include "record/event.h"

namespace tacho {

// The first event of a run that this tacho carries out itself, without a worker: what it is and
// where it runs.
RunStarted start_of_run();

}  // namespace tacho
