#include "experiments/runner/recorded_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <string_view>

#include "base/split.h"
#include "base/units.h"
#include "experiments/runner/compared_values.h"

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

std::vector<std::string> words_of(std::string text) {
  std::ranges::replace(text, ',', ' ');
  const auto words = split(text, ' ');
  std::vector<std::string> found(words.begin(), words.end());
  std::erase(found, "");
  return found;
}

bool is_filter(std::string_view word) { return word.find_first_of("=!<>") != std::string::npos; }

Result<RecordedGroup> parse_group(const std::string& text) {
  RecordedGroup group{.name = text};
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) {
    return usage(
        "--runs: a group is empty; write runs such as 41,42/43,44 or filters such as "
        "batch=32/batch=64");
  }
  for (const std::string& word : words) {
    if (is_filter(word)) {
      TACHO_TRY(filter, parse_filter(word).in("--runs"));
      group.filters.push_back(filter);
    } else {
      group.handles.push_back(word);
    }
  }
  if (!group.filters.empty() && !group.handles.empty()) {
    return usage(fmt::format("--runs: '{}' mixes runs and filters; use one of the two", text));
  }
  return group;
}

// Shortens "model=lenet5 batch=32" and "model=lenet5 batch=64" to their batch.
void drop_common_words(std::vector<RecordedGroup>& groups) {
  std::vector<std::vector<std::string>> words;
  for (const RecordedGroup& group : groups) words.push_back(words_of(group.name));
  const auto is_common = [&](const std::string& word) {
    return std::all_of(words.begin(), words.end(), [&](const auto& others) {
      return std::find(others.begin(), others.end(), word) != others.end();
    });
  };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].filters.empty()) continue;
    std::string name;
    for (const std::string& word : words[i]) {
      if (!is_common(word)) name += (name.empty() ? "" : " ") + word;
    }
    if (!name.empty()) groups[i].name = name;
  }
}

Result<std::vector<std::string>> handles_of(RunStore& store, const RecordedGroup& group) {
  if (!group.handles.empty()) return group.handles;
  TACHO_TRY(rows, store.list({.filters = group.filters,
                              .descending = false,
                              .limit = std::numeric_limits<std::int64_t>::max(),
                              .hides_archived = true}));
  std::vector<std::string> handles;
  for (const RunRow& row : rows) handles.push_back(std::to_string(row.id));
  return handles;
}

Result<void> add_runs(RunStore& store, const RecordedGroup& group, std::size_t variant,
                      bool include_disturbed, Comparison& comparison) {
  TACHO_TRY(handles, handles_of(store, group));
  std::size_t taken = 0;
  for (const std::string& handle : handles) {
    TACHO_TRY(stored, store.find(handle));
    if (stored.record.outcome != Outcome::ok) {
      comparison.notes.push_back(fmt::format("run {} is left out: {}", stored.row.id,
                                             kOutcomes.of(stored.record.outcome)));
      continue;
    }
    comparison.runs.push_back({.variant = variant,
                               .block = std::nullopt,
                               .order = stored.row.id,
                               .warm_up = false,
                               .run = stored.row.key,
                               .values = compared_values(stored.record)});
    if (!include_disturbed && !stored.record.disturbed.empty()) {
      comparison.runs.back().disturbed = stored.record.disturbed.front();
      comparison.notes.push_back(
          fmt::format("run {} does not count: {}", stored.row.id, stored.record.disturbed.front()));
    }
    ++taken;
  }
  if (taken > 0) return {};
  return Error{
      ErrorCode::not_found,
      fmt::format("--runs: no successful run matches '{}'; see 'tacho runs ls'", group.name)};
}

// A run in two groups says nothing about a difference.
Result<void> check_distinct(const Comparison& comparison) {
  std::set<std::string_view> seen;
  for (const auto& one : comparison.runs) {
    if (!seen.insert(one.run).second) {
      return usage(fmt::format("--runs: run {} is named twice", one.order));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<RecordedGroup>> parse_recorded_groups(const std::vector<std::string>& texts) {
  std::vector<std::string> parts = texts;
  if (texts.size() == 1) {
    const auto groups = split(texts.front(), '/');
    parts.assign(groups.begin(), groups.end());
  }
  if (parts.size() < 2) {
    return usage("--runs: only one group of runs; separate groups by a slash: 41,42/43,44");
  }
  std::vector<RecordedGroup> groups;
  for (const std::string& part : parts) {
    TACHO_TRY(group, parse_group(part));
    groups.push_back(std::move(group));
  }
  drop_common_words(groups);
  return groups;
}

Result<Comparison> compare_recorded(RunStore& store, const std::vector<RecordedGroup>& groups,
                                    const std::vector<std::string>& metrics, double resolution,
                                    bool include_disturbed) {
  Comparison comparison;
  comparison.started = utc_text(std::chrono::system_clock::now());
  comparison.rule.resolution = resolution;
  for (const RecordedGroup& group : groups) {
    comparison.title += (comparison.title.empty() ? "runs " : " / ") + group.name;
    comparison.variants.push_back({group.name, "", ""});
    TACHO_CHECK(
        add_runs(store, group, comparison.variants.size() - 1, include_disturbed, comparison));
  }
  TACHO_CHECK(check_distinct(comparison));
  comparison.notes.emplace_back(
      "these runs were not interleaved: a change of the machine between them counts as a "
      "difference");
  comparison.metrics = compared_metrics(comparison.runs, metrics);
  judge(comparison);
  return comparison;
}

}  // namespace tacho
