#pragma once

#include "base/result.h"
#include "record/event.h"

namespace tacho {

// A place where others read what a worker does, while it does it.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // Returns once the event is with the system, so that a worker killed afterwards does not lose it.
  virtual Result<void> write(const Event& event) = 0;
};

}  // namespace tacho
