#pragma once

#include "core/record/run_folder.h"

namespace tacho {

// Works before and after every new training, whatever command makes it.
class RunHook {
 public:
  virtual ~RunHook() = default;
  virtual void before(const RunOrder& order) = 0;
  virtual void after() = 0;
};

}  // namespace tacho
