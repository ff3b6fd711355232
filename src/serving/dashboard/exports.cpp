#include "serving/dashboard/exports.h"

#include <fmt/format.h>

#include <memory>

#include "core/store/run_tables.h"
#include "serving/dashboard/run_cursor.h"
#include "serving/dashboard/run_list.h"

namespace tacho::serve {
namespace {

class Export final : public http::BodySource {
 public:
  Export(StorePool& stores, RunQuery query, RunTable table, bool csv)
      : stores_(stores), query_(std::move(query)), table_(table), csv_(csv) {
    // Full records are long, rows are short.
    query_.limit = csv_ && table_ == RunTable::runs ? 1000 : 20;
  }

  std::optional<std::string> next() override {
    if (over_) return std::nullopt;
    auto page = next_page();
    // The status was sent already, so a failure can only cut the body off.
    if (!page.ok()) throw std::runtime_error(page.error().message);
    return *std::move(page);
  }

 private:
  Result<std::string> next_page() {
    TACHO_TRY(store, stores_.take());
    TACHO_TRY(rows, store->list(query_));
    over_ = std::ssize(rows) < query_.limit;
    std::string out;
    if (csv_ && table_ == RunTable::runs) {
      out = without_head(runs_csv(rows));
    } else {
      std::vector<StoredRun> runs;
      for (const RunRow& row : rows) {
        TACHO_TRY(run, store->find(std::to_string(row.id)));
        runs.push_back(std::move(run));
      }
      out = csv_ ? without_head(table_csv(table_, runs)) : records(runs);
    }
    if (!rows.empty()) {
      TACHO_TRY(mark, cursor_mark(cursor_text(query_, rows.back()), query_));
      query_.after = std::move(mark);
    }
    begun_ = true;
    return out;
  }

  // Keeps the header line of the first page only.
  [[nodiscard]] std::string without_head(std::string text) const {
    if (begun_) text.erase(0, text.find('\n') + 1);
    return text;
  }

  [[nodiscard]] std::string records(const std::vector<StoredRun>& runs) const {
    std::string out = begun_ ? "" : "[";
    for (std::size_t i = 0; i < runs.size(); ++i) {
      out +=
          (begun_ || i > 0 ? ",\n" : "\n") + json_text(record_json(runs[i].row.id, runs[i].record));
    }
    if (over_) out += "\n]\n";
    return out;
  }

  StorePool& stores_;
  RunQuery query_;
  RunTable table_;
  bool csv_;
  bool begun_ = false;
  bool over_ = false;
};

}  // namespace

Answer export_table(const http::Request& request, StorePool& stores) {
  TACHO_CHECK(check_parameters(request, {"where", "word", "archived", "sort", "order", "format"}));
  TACHO_TRY(format, word_parameter(request, "format", {"csv", "json"}));
  TACHO_TRY(table, kRunTables.parse(request.part("table")).in("export"));
  if (format == "json" && table != RunTable::runs) {
    return Error{ErrorCode::usage,
                 "only the table runs can be exported as JSON; its records have the "
                 "epochs and steps"};
  }
  TACHO_TRY(query, query_of(request));
  http::Response response =
      file_answer("", format == "csv" ? "text/csv; charset=utf-8" : "application/json",
                  fmt::format("{}.{}", request.part("table"), format));
  response.source = std::make_shared<Export>(stores, std::move(query), table, format == "csv");
  return response;
}

}  // namespace tacho::serve
