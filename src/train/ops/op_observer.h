#pragma once

#include <memory>
#include <vector>

#include "record/op_trace.h"

namespace tacho {

// Watches the operators that torch makes for the thread that made this, among them those of a
// backward pass on autograd's own threads; nothing that other threads ask of torch. Between steps
// torch calls back to nobody.
class OpObserver {
 public:
  OpObserver();
  ~OpObserver();
  OpObserver(const OpObserver&) = delete;
  OpObserver& operator=(const OpObserver&) = delete;

  // One step at a time, begun and ended by the thread that made this, when no backward pass is
  // under way.
  void begin_step();
  // Answers the seconds that were spent within operators.
  double keep_step();
  // As if it had never begun. Nothing if none has.
  void drop_step();

  // Of all steps that were kept; the most self time first.
  [[nodiscard]] std::vector<OpRow> rows() const;

 private:
  class Tables;
  class Listening;
  std::shared_ptr<Tables> tables_;  // shared with torch for as long as it may call back
  std::unique_ptr<Listening> listening_;
};

}  // namespace tacho
