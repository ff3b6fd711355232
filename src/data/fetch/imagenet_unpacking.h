#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/result.h"
#include "data/fetch/archive_reader.h"
#include "data/fetch/devkit.h"
#include "data/fetch/partial_folder.h"
#include "data/fetch/watch.h"

namespace tacho {

struct ImagenetArchives {
  std::filesystem::path train;  // a .tar of a .tar for each class
  std::filesystem::path val;    // a .tar of images, numbered
};

// One attempt at filling a PartialFolder with train/CLASS, each class a piece, and val, one piece.
// Every path it writes is made of names from the devkit and of file names it has checked.
class ImagenetUnpacking {
 public:
  ImagenetUnpacking(const ImagenetArchives& archives, const Devkit& devkit,
                    const PartialFolder& folder, const Watch& watch);

  // ErrorCode::invalid: an archive is not what it should be; io: the disk; failed: stopped.
  Result<void> run();

 private:
  Result<void> unpack_train();
  Result<void> unpack_class(ArchiveReader& outer, const Synset& synset);
  Result<void> unpack_val();
  // Before each image.
  Result<void> look_around(const ArchiveReader& archive) const;

  const ImagenetArchives& archives_;
  const Devkit& devkit_;
  const PartialFolder& folder_;
  const Watch& watch_;
  std::map<std::string_view, const Synset*> classes_;  // by id
  std::int64_t total_;                                 // bytes of both archives
  std::int64_t before_ = 0;                            // of them, before the one that is read
  std::int64_t found_ = 0;                             // of them, in pieces that were there already
};

}  // namespace tacho
