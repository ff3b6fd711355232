#include "cli/foretelling_view.h"

#include "base/clock.h"

namespace tacho {

void ForetellingSweepView::submitted(const SweepTask& task) {
  RunOrder order = task.asked;
  order.key = task.run_key.value_or("");
  order.created_at = unix_seconds_now();
  foreteller_.write_down(order);
  inner_.submitted(task);
}

}  // namespace tacho
