#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "core/store/sqlite.h"

namespace tacho {

// One execution of a study.
struct StudyRow {
  std::int64_t id = 0;  // assigned by the store
  std::string key;
  std::string name;
  std::string level;
  std::string started;  // ISO 8601, UTC
};

// begun: its record may be missing, incomplete or complete.
enum class StudyStepState { begun, done, impossible };
inline constexpr Names<StudyStepState, 3> kStudyStepStates{
    "state",
    {{{StudyStepState::begun, "begun"},
      {StudyStepState::done, "done"},
      {StudyStepState::impossible, "impossible"}}}};

// Something that is not available on the machine, with the reason.
struct AbsentThing {
  std::string what;
  std::string why;
  bool operator==(const AbsentThing&) const = default;
};

struct StudyStepRow {
  std::string step;  // hash of the step's definition
  StudyStepState state = StudyStepState::begun;
  std::string record_key;  // of its sweep, comparison or run; assigned before it is created
  std::vector<AbsentThing> absent;
};

// The studies in the store's file. The row of a step is written before its sweep, comparison or run
// is started, so that kill -9 at any moment leaves nothing that the next tacho process cannot find.
class StudyTable {
 public:
  explicit StudyTable(Database& database) : database_(database) {}

  Result<StudyRow> add(const StudyRow& row);
  // Returns the most recent one; nothing if there is none.
  Result<std::optional<StudyRow>> newest(std::string_view name, std::string_view level);
  Result<std::vector<StudyRow>> list();  // the newest first

  // Replaces the row of the same step.
  Result<void> put(std::int64_t study, const StudyStepRow& step);
  Result<std::optional<StudyStepRow>> step(std::int64_t study, std::string_view step);

 private:
  Database& database_;
};

}  // namespace tacho
