#include "cli/traced_job.h"

namespace tacho {

Result<TracedJob> open_traced_job(RunStore& /*store*/, const std::string& /*handle*/,
                                  const Context& /*context*/) {
  return Error{ErrorCode::unavailable, "this tacho was built without its predictor"};
}

}  // namespace tacho
