#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho {

// A change that a trial makes to a program from outside.
struct TrialChange {
  std::string name;  // "channels-last"
  std::string help;
  // Of the changes of a family, at most one is kept. Empty: it goes with all others.
  std::string family = {};
  std::map<std::string, std::string> variables = {};  // its environment variables
  bool in_python = false;  // made by python/trial/tacho_changes.py, under the same name
  enum class Where { anywhere, cpu, gpu } where = Where::anywhere;
};

// What the first trial showed of the program.
struct ProgramFacts {
  bool pytorch = false;  // its optimizer was found
  bool gpu = false;
};

// Returns all changes on a machine with these processors.
std::vector<TrialChange> all_changes(int processors);

// Returns those of `changes` that can apply to the program.
std::vector<TrialChange> changes_for(const ProgramFacts& program, std::vector<TrialChange> changes);

// Returns the changes with these names, or an error that suggests a name.
Result<std::vector<TrialChange>> named_changes(std::span<const std::string> names,
                                               const std::vector<TrialChange>& changes);

}  // namespace tacho
