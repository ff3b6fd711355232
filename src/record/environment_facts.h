#pragma once

#include <string>

namespace tacho {

// What an environment really was, beside what was asked for (EnvironmentSpec).
struct EnvironmentFacts {
  std::string engine;          // "podman"; "bare"
  std::string engine_version;  // "4.3.1"
  std::string image;
  // What the image holds, by its hash: "sha256:…" as the engine has it, or of an image's file.
  // "listing-sha256:…" is that of a folder's names, sizes, modes and times.
  std::string image_digest;
  bool operator==(const EnvironmentFacts&) const = default;
};

// "podman 4.3.1, image localhost/tacho:latest (sha256:1f2e3d4c5b6a…)"
std::string in_words(const EnvironmentFacts& facts);

}  // namespace tacho
