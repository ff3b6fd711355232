#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/weights/input_file.h"

namespace tacho {

struct ZipEntry {
  std::string name;
  std::size_t begin = 0;  // of its content in the file
  std::size_t size = 0;
};

// Lists a zip file whose entries are stored without compression, as torch.save writes it, zip64
// included. Strict: entries may not overlap each other or the directory, have equal names, or be
// encrypted, and nothing may follow the directory.
Result<std::vector<ZipEntry>> list_zip(const InputFile& file);

}  // namespace tacho
