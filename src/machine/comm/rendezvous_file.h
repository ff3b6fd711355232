#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/comm/address.h"

namespace tacho {

// Where the ranks meet in one attempt of a job.
struct MeetingPoint {
  std::string attempt;  // differs between attempts
  Address address;
  std::string secret;  // "": every machine was given it
  bool operator==(const MeetingPoint&) const = default;
};

// By this file the other machines of a job find machine 0. It is in a folder that they share, and
// only its owner can read it.
class RendezvousFile {
 public:
  explicit RendezvousFile(std::filesystem::path path) : path_(std::move(path)) {}
  // Reads "file:PATH" or "file:///PATH". Returns nothing for a text that does not begin so.
  static Result<std::optional<RendezvousFile>> parse(std::string_view text);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  bool operator==(const RendezvousFile&) const = default;

  // Machine 0: replaces the file of an earlier attempt, but no other file.
  [[nodiscard]] Result<void> write(const MeetingPoint& point) const;
  [[nodiscard]] Result<void> check_writable() const;
  // Removes it unless it is that of another attempt.
  void remove(std::string_view attempt) const;

  // Returns nothing as long as there is no file.
  [[nodiscard]] Result<std::optional<MeetingPoint>> read() const;

 private:
  [[nodiscard]] Result<void> check_folder(int access) const;

  std::filesystem::path path_;
};

}  // namespace tacho
