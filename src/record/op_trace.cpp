#include "record/op_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacho {
namespace {

constexpr std::int64_t kOpTraceVersion = 1;

Error invalid(std::string message) { return {ErrorCode::invalid, std::move(message)}; }

// Written so that NaN fails too.
bool is_amount(double value) { return value >= 0; }

Json row_to_json(const OpRow& row) {
  return {{"name", row.name},   {"shapes", row.shapes}, {"phase", kOpPhases.of(row.phase)},
          {"calls", row.calls}, {"self_s", row.self_s}, {"total_s", row.total_s},
          {"flops", row.flops}, {"bytes", row.bytes}};
}

Result<OpRow> row_from_json(const Json& json, const std::string& place) {
  OpRow row;
  JsonObject object(json, place);
  object.read("name", row.name);
  object.read("shapes", row.shapes);
  object.read_name("phase", kOpPhases, row.phase);
  object.read("calls", row.calls);
  object.read("self_s", row.self_s);
  object.read("total_s", row.total_s);
  object.read("flops", row.flops);
  object.read("bytes", row.bytes);
  TACHO_CHECK(object.finish());
  const bool possible = row.calls >= 0 && is_amount(row.self_s) && is_amount(row.total_s) &&
                        is_amount(row.flops) && is_amount(row.bytes);
  if (!possible) return invalid(place + ": a value is negative or missing");
  return row;
}

Result<void> check(const OpTrace& trace) {
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
  Json rows = Json::array();
  for (const OpRow& row : trace.rows) rows.push_back(row_to_json(row));
  return {{"version", kOpTraceVersion},     {"first_step", trace.first_step},
          {"step_s", trace.step_s},         {"operator_s", trace.operator_s},
          {"peak_flops", trace.peak_flops}, {"peak_bytes_per_s", trace.peak_bytes_per_s},
          {"rows", std::move(rows)}};
}

Result<OpTrace> op_trace_from_json(const Json& json) {
  JsonObject object(json, "operators");
  std::int64_t version = 0;
  object.read("version", version);
  if (version > kOpTraceVersion) {
    return Error{ErrorCode::newer, "operators: written by a newer tacho; update tacho"};
  }
  OpTrace trace;
  object.read("first_step", trace.first_step);
  object.read("step_s", trace.step_s);
  object.read("operator_s", trace.operator_s);
  object.read("peak_flops", trace.peak_flops);
  object.read("peak_bytes_per_s", trace.peak_bytes_per_s);
  const Json* rows = object.part("rows");
  TACHO_CHECK(object.finish());
  if (!rows->is_array()) return invalid("operators: rows: not a list");
  for (const Json& row : *rows) {
    TACHO_TRY(read, row_from_json(row, fmt::format("operators: row {}", trace.rows.size() + 1)));
    trace.rows.push_back(std::move(read));
  }
  TACHO_CHECK(check(trace));
  return trace;
}

}  // namespace tacho
