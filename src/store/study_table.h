#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "store/sqlite.h"

namespace tacho {

// A study that was begun: once for each time it was made from the start.
struct StudyRow {
  std::int64_t id = 0;  // given by the store
  std::string key;
  std::string name;
  std::string level;
  std::string started;  // ISO 8601, UTC
};

// begun: its record may be there, whole or in part, or not yet.
enum class StudyStepState { begun, done, impossible };
inline constexpr Names<StudyStepState, 3> kStudyStepStates{
    "state",
    {{{StudyStepState::begun, "begun"},
      {StudyStepState::done, "done"},
      {StudyStepState::impossible, "impossible"}}}};

// What could not be had on the machine, and why.
struct AbsentThing {
  std::string what;
  std::string why;
  bool operator==(const AbsentThing&) const = default;
};

struct StudyStepRow {
  std::string step;  // what it does, by its hash
  StudyStepState state = StudyStepState::begun;
  std::string record_key;  // of its sweep, comparison or run; given before that is made
  std::vector<AbsentThing> absent;
};

// Studies, in the store's file. A step's row is written before what it names is begun, so that a
// kill -9 at any moment leaves nothing that the next tacho would not find.
class StudyTable {
 public:
  explicit StudyTable(Database& database) : database_(database) {}

  Result<StudyRow> add(const StudyRow& row);
  // The one that was begun last; nothing where there is none.
  Result<std::optional<StudyRow>> newest(std::string_view name, std::string_view level);
  Result<std::vector<StudyRow>> list();  // the newest first

  // Replaces the row of the same step.
  Result<void> put(std::int64_t study, const StudyStepRow& step);
  Result<std::optional<StudyStepRow>> step(std::int64_t study, std::string_view step);

 private:
  Database& database_;
};

}  // namespace tacho
