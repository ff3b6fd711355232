#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/names.h"
#include "base/result.h"

namespace tacho {

enum class OpPhase { forward, backward, optimizer, other };
inline constexpr Names<OpPhase, 4> kOpPhases{"phase",
                                             {{{OpPhase::forward, "forward"},
                                               {OpPhase::backward, "backward"},
                                               {OpPhase::optimizer, "optimizer"},
                                               {OpPhase::other, "other"}}}};

// One torch operator with one input shape, summed over the traced steps.
struct OpRow {
  std::string name;    // "aten::addmm"
  std::string shapes;  // "[128, 784] [784, 10]"
  OpPhase phase = OpPhase::forward;
  std::int64_t calls = 0;
  double self_s = 0;  // without the operators it called
  double total_s = 0;
  double flops = 0;  // 0 for operators that are limited by memory bandwidth
  double bytes = 0;  // of all tensors read or written, each counted once
  bool operator==(const OpRow&) const = default;
};

// The content of `ops.json` in a run's folder.
struct OpTrace {
  std::int64_t first_step = 1;
  std::vector<double> step_s;      // of the traced steps
  std::vector<double> operator_s;  // time within operators, per step
  std::vector<OpRow> rows;         // the most self time first
  double peak_flops = 0;           // measured with a matrix product; 0: unknown
  double peak_bytes_per_s = 0;     // measured with a copy
  bool operator==(const OpTrace&) const = default;
};

Json to_json(const OpTrace& trace);
Result<OpTrace> op_trace_from_json(const Json& json);

}  // namespace tacho
