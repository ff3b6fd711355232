#include "training/weights/pickle_names.h"

#include <array>
#include <utility>

namespace tacho {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kStorages = {{
    {"torch.FloatStorage", "F32"},
    {"torch.DoubleStorage", "F64"},
    {"torch.HalfStorage", "F16"},
    {"torch.BFloat16Storage", "BF16"},
    {"torch.LongStorage", "I64"},
    {"torch.IntStorage", "I32"},
    {"torch.ShortStorage", "I16"},
    {"torch.CharStorage", "I8"},
    {"torch.ByteStorage", "U8"},
    {"torch.BoolStorage", "BOOL"},
}};

constexpr std::array<std::pair<unsigned char, std::string_view>, 26> kOtherOperations = {{
    {'0', "POP"},        {'1', "POP_MARK"},       {'2', "DUP"},
    {'B', "BINBYTES"},   {'C', "SHORT_BINBYTES"}, {'F', "FLOAT"},
    {'I', "INT"},        {'L', "LONG"},           {'P', "PERSID"},
    {'S', "STRING"},     {'T', "BINSTRING"},      {'U', "SHORT_BINSTRING"},
    {'V', "UNICODE"},    {'d', "DICT"},           {'g', "GET"},
    {'i', "INST"},       {'l', "LIST"},           {'o', "OBJ"},
    {'p', "PUT"},        {0x81, "NEWOBJ"},        {0x82, "EXT1"},
    {0x83, "EXT2"},      {0x84, "EXT4"},          {0x8b, "LONG4"},
    {0x8f, "EMPTY_SET"}, {0x92, "NEWOBJ_EX"},
}};

}  // namespace

std::string_view storage_type(std::string_view name) {
  for (const auto& [known, type] : kStorages) {
    if (known == name) return type;
  }
  return "";
}

bool is_known_to_pickle(std::string_view name) {
  return name == kOrderedDict || name == kRebuildTensor || name == kRebuildParameter ||
         !storage_type(name).empty();
}

std::string_view pickle_operation(unsigned char code) {
  for (const auto& [known, name] : kOtherOperations) {
    if (known == code) return name;
  }
  return "";
}

}  // namespace tacho
