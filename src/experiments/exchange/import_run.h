#pragma once

#include <cstdint>
#include <filesystem>

#include "base/names.h"
#include "base/result.h"
#include "core/store/run_store.h"
#include "experiments/exchange/portable_run.h"

namespace tacho {

enum class ImportChange { added, updated, unchanged };
inline constexpr Names<ImportChange, 3> kImportChanges{"change",
                                                       {{{ImportChange::added, "added"},
                                                         {ImportChange::updated, "updated"},
                                                         {ImportChange::unchanged, "unchanged"}}}};

struct ImportedRun {
  std::int64_t id = 0;
  RunRecord record;
  ImportChange change = ImportChange::added;
};

// Makes a folder for the run, like that of a run that logged from Python, and stores its record.
// The same run again updates it, or changes nothing.
Result<ImportedRun> import_run(const PortableRun& run, const std::filesystem::path& home,
                               RunStore& store);

// All events of the run; those of its figures come from `run.tool`.
std::vector<Event> events_of(const PortableRun& run);

// The events that are kept in a record: all but figures, and a selection of these.
std::vector<Event> selected(const std::vector<Event>& events);

}  // namespace tacho
