#include "core/record/ranks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tacho {
namespace {

// Calls `visit` with each pair of corresponding lists of two RankSteps.
template <class To, class From, class Visit>
void for_each_list(To& to, From& from, const Visit& visit) {
  visit(to.seconds, from.seconds);
  visit(to.input_seconds, from.input_seconds);
  visit(to.backward_seconds, from.backward_seconds);
  visit(to.comm_seconds, from.comm_seconds);
  visit(to.exposed_seconds, from.exposed_seconds);
  visit(to.wire_bytes, from.wire_bytes);
  visit(to.payload_bytes, from.payload_bytes);
}

RankSteps empty_series(std::int64_t rank, std::size_t steps) {
  RankSteps series;
  series.rank = rank;
  for_each_list(series, series, [steps](auto& list, auto&) {
    using Value = typename std::decay_t<decltype(list)>::value_type;
    list.assign(steps, std::numeric_limits<Value>::quiet_NaN());  // 0 for integers
  });
  return series;
}

void overwrite(RankSteps& series, std::int64_t first_step, const RankSteps& reported) {
  for_each_list(series, reported, [first_step](auto& list, const auto& values) {
    const auto steps = static_cast<std::int64_t>(list.size());
    if (first_step < 1 || first_step > steps) return;
    const auto room = static_cast<std::size_t>(steps - first_step + 1);
    const auto count = static_cast<std::ptrdiff_t>(std::min(room, values.size()));
    std::copy_n(values.begin(), count, list.begin() + (first_step - 1));
  });
}

template <class Ranks>
std::string problem_with_numbers(const Ranks& ranks) {
  std::set<std::int64_t> seen;
  for (const auto& entry : ranks) {
    if (entry.rank < 0) return "a rank is negative";
    if (!seen.insert(entry.rank).second) return "a rank appears twice";
  }
  return "";
}

}  // namespace

bool RankSteps::one_length() const {
  bool same = true;
  for_each_list(*this, *this,
                [&](const auto& list, const auto&) { same &= list.size() == seconds.size(); });
  return same;
}

std::string problem_of(const RanksReady& ready) { return problem_with_numbers(ready.ranks); }

std::string problem_of(const RanksDone& done) {
  if (done.first_step < 1) return "steps are counted from 1";
  for (const RankSteps& rank : done.ranks) {
    const bool same = rank.one_length() && rank.seconds.size() == done.ranks[0].seconds.size();
    if (!same) return "the lists differ in length";
  }
  return problem_with_numbers(done.ranks);
}

void RankLog::keep_until(std::int64_t last) {
  std::erase_if(chunks_, [last](const RanksDone& chunk) { return chunk.first_step > last; });
  for (RanksDone& chunk : chunks_) {
    const auto kept = static_cast<std::size_t>(last - chunk.first_step + 1);
    for (RankSteps& rank : chunk.ranks) {
      for_each_list(rank, rank, [kept](auto& list, auto&) {
        if (list.size() > kept) list.resize(kept);
      });
    }
  }
}

std::vector<RankSteps> RankLog::series(std::size_t steps) const {
  std::map<std::int64_t, RankSteps> by_rank;
  for (const RanksDone& chunk : chunks_) {
    for (const RankSteps& reported : chunk.ranks) {
      const auto at = by_rank.try_emplace(reported.rank, empty_series(reported.rank, steps)).first;
      overwrite(at->second, chunk.first_step, reported);
    }
  }
  std::vector<RankSteps> all;
  all.reserve(by_rank.size());
  for (auto& [rank, series] : by_rank) all.push_back(std::move(series));
  return all;
}

}  // namespace tacho
