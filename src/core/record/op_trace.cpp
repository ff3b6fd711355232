#include "core/record/op_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_fields.h"

namespace tacho {

void describe(auto&& f, Is<OpRow> auto& r) {
  f("name", r.name);
  f("shapes", r.shapes);
  f("phase", Named{r.phase, kOpPhases});
  f("calls", r.calls);
  f("self_s", r.self_s);
  f("total_s", r.total_s);
  f("flops", r.flops);
  f("bytes", r.bytes);
}

void describe(auto&& f, Is<OpTrace> auto& t) {
  f("first_step", t.first_step);
  f("step_s", t.step_s);
  f("operator_s", t.operator_s);
  f("peak_flops", t.peak_flops);
  f("peak_bytes_per_s", t.peak_bytes_per_s);
  f("rows", t.rows);
}

namespace {

constexpr std::int64_t kOpTraceVersion = 1;

Error invalid(std::string message) { return {ErrorCode::invalid, std::move(message)}; }

// Written so that NaN fails too.
bool is_amount(double value) { return value >= 0; }

Result<void> check(const OpRow& row, std::size_t number) {
  const bool possible = row.calls >= 0 && is_amount(row.self_s) && is_amount(row.total_s) &&
                        is_amount(row.flops) && is_amount(row.bytes);
  if (possible) return {};
  return invalid(fmt::format("operators: rows {}: a value is negative or missing", number));
}

Result<void> check(const OpTrace& trace) {
  for (std::size_t i = 0; i < trace.rows.size(); ++i) TACHO_CHECK(check(trace.rows[i], i + 1));
  if (trace.step_s.size() != trace.operator_s.size()) {
    return invalid(fmt::format("operators: {} steps, but operator_s of {}", trace.step_s.size(),
                               trace.operator_s.size()));
  }
  const bool possible = trace.first_step >= 1 && is_amount(trace.peak_flops) &&
                        is_amount(trace.peak_bytes_per_s) &&
                        std::all_of(trace.step_s.begin(), trace.step_s.end(), is_amount) &&
                        std::all_of(trace.operator_s.begin(), trace.operator_s.end(), is_amount);
  if (!possible) return invalid("operators: a value is negative or missing");
  return {};
}

}  // namespace

Json to_json(const OpTrace& trace) {
  Json json = {{"version", kOpTraceVersion}};
  describe(FieldWriter(json), trace);
  return json;
}

Result<OpTrace> op_trace_from_json(const Json& json) {
  JsonObject object(json, "operators");
  std::int64_t version = 0;
  object.read("version", version);
  if (version > kOpTraceVersion) {
    return Error{ErrorCode::newer, "operators: written by a newer tacho; update tacho"};
  }
  OpTrace trace;
  describe(FieldReader(object), trace);
  TACHO_CHECK(object.finish());
  TACHO_CHECK(check(trace));
  return trace;
}

}  // namespace tacho
