#pragma once

#include <string>

namespace tacho {

// The environment that was actually used, in addition to the requested one (EnvironmentSpec).
struct EnvironmentFacts {
  std::string engine;          // "podman"; "bare"
  std::string engine_version;  // "4.3.1"
  std::string image;
  // Hash of the image: "sha256:…" as reported by the engine, or of the image file.
  // "listing-sha256:…" covers the names, sizes, modes and times of a folder.
  std::string image_digest;
  bool operator==(const EnvironmentFacts&) const = default;
};

// Returns "podman 4.3.1, image localhost/tacho:latest (sha256:1f2e3d4c5b6a…)".
std::string in_words(const EnvironmentFacts& facts);

}  // namespace tacho
