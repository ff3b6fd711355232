// base may include nothing; a target that may include base alone must not find the store.
#include "base/result.h"
#include "core/store/run_store.h"
