#pragma once

#include "base/result.h"
#include "core/record/event.h"

namespace tacho {

// A destination for the events of a run, readable while the run is in progress.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // Returns once the operating system has the event, so that it survives if the worker is killed.
  virtual Result<void> write(const Event& event) = 0;
};

}  // namespace tacho
