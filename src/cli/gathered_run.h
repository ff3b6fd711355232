#pragma once

#include <chrono>
#include <string>

#include "cli/context.h"
#include "core/record/run_folder.h"
#include "tracing/report/run_findings.h"

namespace tacho {

// Tells the user what is being done once it has taken two seconds.
class Waiting {
 public:
  explicit Waiting(const Context& context) : context_(context) {}
  void tell(std::string_view what) {
    if (std::chrono::steady_clock::now() - begin_ > std::chrono::seconds(2)) context_.say(what);
  }

 private:
  const Context& context_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct GatheredRun {
  RunFolder folder;
  RunFindings findings;
};

// `handle`: as for `tacho runs show`.
Result<GatheredRun> gather_run(RunStore& store, const std::string& handle, const Context& context);

}  // namespace tacho
