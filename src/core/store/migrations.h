#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "core/store/sqlite.h"

namespace tacho {

// The SQL that upgrades the store by one version. Never edit a released migration, because files
// made by it exist. Add another one.
using Migration = std::string_view;

// Returns all migrations. The first one creates version 1 from an empty file.
std::span<const Migration> store_migrations();

// Upgrades an empty file or an earlier version to the last of `migrations`, one transaction each,
// so that a killed process leaves a complete version. Does not modify a file that is not a Tacho
// store or is newer.
Result<void> migrate(Database& database, std::span<const Migration> migrations);

// Returns true if neither migrate() nor add_metric_columns() would change the file.
Result<bool> is_up_to_date(Database& database, std::span<const Migration> migrations);

// Adds an indexed column to `runs` for every metric without one. New metrics are frequent, so they
// need no migration.
Result<void> add_metric_columns(Database& database);

}  // namespace tacho
