import functools
import os


def rank_zero_only(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*args, **kwargs) if rank_zero_only.rank == 0 else None
    return call


rank_zero_only.rank = int(os.environ.get("RANK", 0))
