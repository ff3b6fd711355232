#include "training/train/dist/rank_book.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tacho {
namespace {

constexpr std::size_t kNumbers = 11;
constexpr std::array<std::size_t, 4> kWhole{0, 1, 9, 10};
constexpr std::chrono::milliseconds kReportEvery{500};

bool fits(const Json& row) {
  if (!row.is_array() || row.size() != kNumbers) return false;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const bool is_whole = std::find(kWhole.begin(), kWhole.end(), i) != kWhole.end();
    if (is_whole ? !row[i].is_number_integer() : !row[i].is_number() && !row[i].is_null()) {
      return false;
    }
  }
  return true;
}

void append(const RankStep& step, RankSteps& series) {
  series.seconds.push_back(step.seconds);
  series.input_seconds.push_back(step.input_seconds);
  series.backward_seconds.push_back(step.backward_seconds);
  series.comm_seconds.push_back(step.comm_seconds);
  series.exposed_seconds.push_back(step.exposed_seconds);
  series.wire_bytes.push_back(step.wire_bytes);
  series.payload_bytes.push_back(step.payload_bytes);
}

}  // namespace

std::string to_message(const std::vector<RankStep>& steps) {
  Json rows = Json::array();
  for (const RankStep& s : steps) {
    rows.push_back({s.epoch, s.number, s.seconds, s.input_seconds, s.loss, s.weight,
                    s.backward_seconds, s.comm_seconds, s.exposed_seconds, s.wire_bytes,
                    s.payload_bytes});
  }
  return json_text(rows);
}

Result<std::vector<RankStep>> steps_from_message(std::string_view text) {
  TACHO_TRY(rows, parse_json(text));
  std::vector<RankStep> steps;
  for (const Json& row : rows) {
    if (!fits(row)) return Error{ErrorCode::invalid, "a rank reported a step in an unknown format"};
    // A NaN loss is written as null.
    const auto real = [&](std::size_t i) {
      return row[i].is_null() ? std::nan("") : row[i].get<double>();
    };
    const auto whole = [&](std::size_t i) { return row[i].get<std::int64_t>(); };
    steps.push_back({whole(0), whole(1), real(2), real(3), real(4), real(5), real(6), real(7),
                     real(8), whole(9), whole(10)});
  }
  return steps;
}

void RankBook::add(std::size_t rank, const std::vector<RankStep>& steps) {
  if (rank >= received_.size()) return;
  received_[rank].insert(received_[rank].end(), steps.begin(), steps.end());
}

bool RankBook::is_empty() const {
  return std::all_of(received_.begin(), received_.end(),
                     [](const auto& steps) { return steps.empty(); });
}

Result<void> RankBook::log_complete(StepLog& log) {
  const auto has_step = [](const auto& steps) { return !steps.empty(); };
  while (std::all_of(received_.begin(), received_.end(), has_step)) {
    const RankStep first = received_.front().front();
    if (pending_.ranks.empty()) {
      pending_.first_step = first.number;
      pending_.ranks.resize(received_.size());
    }
    double loss = 0;
    for (std::size_t rank = 0; rank < received_.size(); ++rank) {
      const RankStep step = received_[rank].front();
      received_[rank].pop_front();
      if (step.number != first.number) {
        return Error{ErrorCode::failed, "the ranks report different steps"};
      }
      if (step.weight != 0) loss += step.loss * step.weight;
      append(step, pending_.ranks[rank]);
      pending_.ranks[rank].rank = static_cast<std::int64_t>(rank);
    }
    TACHO_CHECK(log.add({first.epoch, first.number, first.seconds, first.input_seconds,
                         loss / static_cast<double>(received_.size())}));
  }
  return {};
}

Result<void> RankBook::report(const Report& report, bool at_once) {
  const auto now = std::chrono::steady_clock::now();
  if (pending_.ranks.empty() || (!at_once && now - last_report_ < kReportEvery)) return {};
  last_report_ = now;
  return report(std::exchange(pending_, {}));
}

}  // namespace tacho
