#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "core/record/run_folder.h"
#include "core/store/run_store.h"
#include "tracing/report/run_findings.h"

namespace tacho {

// Shows progress to the user.
using Say = std::function<void(std::string_view)>;

// Tells the user what is being done once it has taken two seconds.
class Waiting {
 public:
  explicit Waiting(Say say) : say_(std::move(say)) {}
  void tell(std::string_view what) {
    if (std::chrono::steady_clock::now() - begin_ > std::chrono::seconds(2)) say_(what);
  }

 private:
  Say say_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct GatheredRun {
  RunFolder folder;
  RunFindings findings;
};

// `handle`: as for `tacho runs show`.
Result<GatheredRun> gather_run(RunStore& store, const std::string& handle, const Say& say);

}  // namespace tacho
