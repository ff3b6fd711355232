#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fields.h"
#include "core/record/run_folder.h"

namespace tacho {

// What a user says about a run, in the file edits.json of its folder. What is present takes
// precedence over what the program said about itself.
struct RunEdits {
  std::optional<std::string> name = {};
  std::optional<std::string> project = {};
  std::optional<std::vector<std::string>> tags = {};
  std::optional<std::string> notes = {};
  bool archived = false;  // left out of lists
  bool operator==(const RunEdits&) const = default;
};

void describe(auto&& f, Is<RunEdits> auto& e) {
  f("name", e.name);
  f("project", e.project);
  f("tags", e.tags);
  f("notes", e.notes);
  f("archived", IfAny{e.archived});
}

// Names, projects and tags are short lines; tags have no comma, which separates them in lists.
Result<void> check(const RunEdits& edits);

// Makes such tags of what a program gave: commas and control characters become spaces, long tags
// are cut, and only the first ones are kept.
std::vector<std::string> tags_of(std::vector<std::string> given);

// Nothing if the folder has no such file.
Result<std::optional<RunEdits>> read_edits(const RunFolder& folder);
Result<void> write_edits(const RunFolder& folder, const RunEdits& edits);

}  // namespace tacho
