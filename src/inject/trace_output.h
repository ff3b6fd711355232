#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Leaves a sentence for Tacho to show: why this process could not be traced, and the fix. Silent
// where even that cannot be written: the program's own output is not ours.
void write_problem(const std::string& folder, std::string_view sentence);

// The trace file of this process, FOLDER/PID.tgt.
class TraceOutput {
 public:
  TraceOutput() = default;
  ~TraceOutput();
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  // Both answer what the system said against it; "" if nothing. A program that replaced itself by
  // exec has its number already, so it writes PID.1.tgt, …
  std::string open(const std::string& folder);
  std::string write(std::string_view bytes);
  // Takes the file away again.
  void discard();

 private:
  void close();

  int fd_ = -1;
  std::string path_;
};

}  // namespace tacho
