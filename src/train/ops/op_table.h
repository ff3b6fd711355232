#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "record/op_trace.h"
#include "train/describe/step_trace.h"
#include "train/ops/op_work.h"
#include "train/torch_api.h"

namespace tacho {

// The operators that one thread makes, summed by name, shapes and phase. Written to be called at
// each operator's begin and end: a known operator is found by a hash of its name and shapes, and
// nothing is allocated for it. What a step adds counts only once it is kept.
class OpTable {
 public:
  // `phase`: of operators that nothing else tells the phase of.
  explicit OpTable(OpPhase phase) : phase_(phase) { frames_.reserve(64); }

  void begin(const at::RecordFunction& function);
  void end(const at::RecordFunction& function);

  // The step is done: takes it in, and answers the seconds it spent within operators.
  double keep_step();
  void drop_step();

  void add_rows_to(std::vector<OpRow>& rows) const;

 private:
  using Clock = std::chrono::steady_clock;
  using RowIndex = std::uint32_t;
  static constexpr RowIndex kNoRow = UINT32_MAX;

  struct Sums {
    std::int64_t calls = 0;
    Clock::duration self{};
    Clock::duration total{};
    OpWork work;
  };
  // What every call touches, apart from what only its first one does.
  struct Row {
    std::uint64_t results = 0;  // hash of their shapes
    bool has_ended = false;     // … which is known, as is the work
    bool holds_the_rest = false;
    RowIndex other = kNoRow;  // the same inputs, other results: another stride
    OpWork work;              // of a call, if no operator that it calls does it
    Sums step;
  };
  struct Identity {
    TracedOp op;
    std::string shapes;
    OpPhase phase = OpPhase::other;
    Sums kept;
  };
  struct Slot {
    std::uint64_t key = 0;
    RowIndex row = kNoRow;
  };
  // An operator under way.
  struct Frame {
    RowIndex row = kNoRow;
    OpPhase phase = OpPhase::other;
    Clock::time_point began{};
    Clock::duration within_others{};
    OpWork by_others;
  };

  [[nodiscard]] OpPhase phase_of(const at::RecordFunction& function) const;
  RowIndex row_for(const at::RecordFunction& function, OpPhase phase);
  RowIndex row_with_results(RowIndex first, const at::RecordFunction& function);
  RowIndex add_row(std::uint64_t key, const at::RecordFunction& function, OpPhase phase);
  void learn_results(RowIndex row, std::uint64_t results, const at::RecordFunction& function);
  [[nodiscard]] RowIndex find(std::uint64_t key) const;
  void enter(const Slot& slot);

  OpPhase phase_;
  std::vector<Frame> frames_;
  std::vector<Row> rows_;
  std::vector<Identity> identities_;  // one for each row
  std::vector<Slot> slots_;           // rows by key, open addressing; the size is a power of 2
  std::size_t keys_ = 0;              // of them in use
  std::vector<RowIndex> touched_;     // rows of this step
};

}  // namespace tacho
