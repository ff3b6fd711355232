#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "store/sqlite.h"

namespace tacho {

// The SQL that leads from one version of the store to the next. Never edit one that was released:
// files made by it are out there. Add another.
using Migration = std::string_view;

// The first makes version 1 out of an empty file.
std::span<const Migration> store_migrations();

// Brings an empty file or an earlier version up to the last of `migrations`, one transaction each,
// so that a process killed meanwhile leaves a whole version. Does not touch a file that is not a
// Tacho store, or is a newer one.
Result<void> migrate(Database& database, std::span<const Migration> migrations);

// Whether neither of the two would change the file.
Result<bool> is_up_to_date(Database& database, std::span<const Migration> migrations);

// Gives `runs` an indexed column for every metric of the catalogue. Metrics come more often than
// versions should, so they need no migration.
Result<void> add_metric_columns(Database& database);

}  // namespace tacho
