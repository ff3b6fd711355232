#include "commlab/round_table.h"

namespace tacho {

Result<std::vector<std::vector<double>>> gather_numbers(Rollcall& rollcall, int rank, int ranks,
                                                        const std::vector<double>& mine) {
  rollcall.tell(json_text(Json(mine)));
  // What a rank tells before it agrees has come when all have.
  TACHO_CHECK(rollcall.agree("told", {}));
  Json table = Json::array();
  if (rank == 0) {
    for (int i = 0; i < ranks; ++i) table.push_back(nullptr);
    for (const Rollcall::Message& message : rollcall.take_messages()) {
      TACHO_TRY(told, parse_json(message.text));
      table[static_cast<std::size_t>(message.from)] = std::move(told);
    }
  }
  TACHO_TRY(shared, rollcall.share("table", json_text(table)));
  TACHO_TRY(all, parse_json(shared));
  std::vector<std::vector<double>> numbers;
  for (const Json& row : all) {
    if (!row.is_array()) return Error{ErrorCode::failed, "a rank told nothing"};
    auto& read = numbers.emplace_back();
    for (const Json& number : row) read.push_back(number.is_number() ? number.get<double>() : 0);
  }
  if (std::ssize(numbers) != ranks) return Error{ErrorCode::failed, "a rank told nothing"};
  return numbers;
}

}  // namespace tacho
