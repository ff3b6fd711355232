#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Writes a problem file for Tacho to show: why this process could not be traced, and the fix.
// Ignores errors, because it must not print into the program's output.
void write_problem(const std::string& folder, std::string_view sentence);

// The trace file of this process, FOLDER/PID.tgt.
class TraceOutput {
 public:
  TraceOutput() = default;
  ~TraceOutput();
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  // Both return "" or the system's error message. A program that replaced itself by exec has the
  // same PID, so it writes PID.1.tgt, …
  std::string open(const std::string& folder);
  std::string write(std::string_view bytes);
  // Deletes the file.
  void discard();

 private:
  void close();

  int fd_ = -1;
  std::string path_;
};

}  // namespace tacho
