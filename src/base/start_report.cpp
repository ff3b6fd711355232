#include "base/start_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>

#include "base/file.h"
#include "base/json_object.h"
#include "base/parse_number.h"
#include "base/signals.h"

namespace tacho {
namespace {

struct StartReport {
  std::mutex mutex;
  UniqueFd pipe;
};

StartReport& the_report() {
  static StartReport report;
  return report;
}

void send(const Json& json) {
  StartReport& report = the_report();
  const std::lock_guard lock(report.mutex);
  if (!report.pipe) return;
  // The reader may be gone; nobody else needs the report.
  static_cast<void>(write_all(report.pipe.get(), json_text(json) + "\n", "pipe"));
  report.pipe.reset();
}

}  // namespace

void take_start_report() {
  const char* text = std::getenv(kStartReportVariable);
  if (text == nullptr) return;
  const int fd = parse_number<int>(text).value_or(-1);
  ::unsetenv(kStartReportVariable);
  if (fd <= 2 || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return;
  outlive_readers();  // the process that started this one may end first
  the_report().pipe = UniqueFd(fd);
}

void report_started(std::string_view kind, std::int64_t id) { send({{kind, id}}); }

void report_start_error(const Error& error) { send({{"error", error.message}}); }

}  // namespace tacho
