#pragma once

namespace tacho {

extern const char* const kVersion;
// The git commit this was built from, "+changes" behind it if the tree was not clean.
extern const char* const kCommit;

}  // namespace tacho
