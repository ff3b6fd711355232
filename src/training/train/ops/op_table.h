#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/record/op_trace.h"
#include "training/train/describe/step_trace.h"
#include "training/train/ops/op_work.h"
#include "training/train/torch_api.h"

namespace tacho {

// The operators of one thread, summed by name, shapes and phase. Called at the begin and end of
// each operator: a known operator is found by a hash of its name and shapes, without allocation.
// The values of a step count once it is kept.
class OpTable {
 public:
  // `phase` applies to operators without a phase of their own.
  explicit OpTable(OpPhase phase) : phase_(phase) { frames_.reserve(64); }

  void begin(const at::RecordFunction& function);
  void end(const at::RecordFunction& function);

  // Adds the finished step and returns the seconds it spent within operators.
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
  // Data touched by every call, separate from data touched only by the first.
  struct Row {
    std::uint64_t results = 0;  // hash of their shapes
    bool has_ended = false;     // … and whether it and the work are known
    bool holds_the_rest = false;
    RowIndex other = kNoRow;  // the same inputs with other results, such as another stride
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
  // A running operator.
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
  std::vector<Identity> identities_;  // one per row
  std::vector<Slot> slots_;           // rows by key, open addressing; the size is a power of 2
  std::size_t keys_ = 0;              // of them in use
  std::vector<RowIndex> touched_;     // rows of this step
};

}  // namespace tacho
