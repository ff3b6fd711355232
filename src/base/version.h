#pragma once

namespace tacho {

extern const char* const kVersion;
// The git commit of the build, with the suffix "+changes" if the tree was not clean.
extern const char* const kCommit;

}  // namespace tacho
