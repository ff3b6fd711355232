#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/emit/crc32c.h"
#include "core/emit/protobuf_wire.h"

namespace tacho {

// Makes .wandb files for tests, as W&B's SDK does.

inline std::string wandb_chunk(char kind, std::string_view data) {
  const std::string kind_and_data = kind + std::string(data);
  std::string chunk;
  append_fixed(chunk, crc32(kind_and_data));
  append_fixed(chunk, static_cast<std::uint16_t>(data.size()));
  return chunk + kind_and_data;
}

inline std::string wandb_file(const std::vector<std::string>& records) {
  constexpr std::size_t kBlock = 32768;
  constexpr std::size_t kHead = 7;
  std::string file(":W&B\xE1\xBE\0", kHead);
  for (std::string_view record : records) {
    for (bool first = true, last = false; !last; first = false) {
      std::size_t left = kBlock - file.size() % kBlock;
      if (left < kHead) {
        file.append(left, '\0');
        left = kBlock;
      }
      const std::size_t size = std::min(record.size(), left - kHead);
      last = size == record.size();
      const int kind = first && last ? 1 : first ? 2 : last ? 4 : 3;
      file += wandb_chunk(static_cast<char>(kind), record.substr(0, size));
      record.remove_prefix(size);
    }
  }
  return file;
}

// A message with one message, string or number in it.
inline std::string wandb_part(std::uint32_t field, std::string_view content) {
  return ProtobufMessage().add_bytes(field, content).bytes();
}
inline std::string wandb_number(std::uint32_t field, std::int64_t number) {
  return ProtobufMessage().add_int64(field, number).bytes();
}

// An entry of history, summary or config.
inline std::string wandb_item(std::string_view key, std::string_view json) {
  return ProtobufMessage().add_bytes(1, key).add_bytes(16, json).bytes();
}

using WandbItems = std::vector<std::pair<std::string, std::string>>;

inline std::string wandb_history(std::int64_t step, const WandbItems& items) {
  ProtobufMessage history;
  for (const auto& [key, json] : items) history.add_bytes(1, wandb_item(key, json));
  history.add_bytes(2, step == 0 ? "" : wandb_number(1, step));
  return wandb_part(2, history.bytes());
}

// Two steps of a run that ended.
inline std::vector<std::string> wandb_records() {
  ProtobufMessage config;
  config.add_bytes(1, wandb_item("lr", "0.1")).add_bytes(1, wandb_item("api_key", "\"x1\""));
  ProtobufMessage run;
  run.add_bytes(1, "3fa8c1")
      .add_bytes(3, "digits")
      .add_bytes(4, config.bytes())
      .add_bytes(8, "base")
      .add_bytes(9, "a note")
      .add_bytes(10, "small")
      .add_bytes(10, "cpu")
      .add_bytes(13, "box")
      .add_bytes(17, wandb_number(1, 1000) + wandb_number(2, 500'000'000));
  return {wandb_part(17, run.bytes()),
          wandb_history(0, {{"loss", "2.5"}, {"_timestamp", "1001.25"}, {"_step", "0"}}),
          wandb_part(13, wandb_part(3, "step 0\n")),
          wandb_history(7, {{"loss", "0.1"}, {"acc", "NaN"}, {"_timestamp", "1002.5"}}),
          wandb_part(3, wandb_part(1, wandb_item("best", "0.1"))),
          wandb_part(18, wandb_number(2, 2))};
}

}  // namespace tacho
