import os


class PartialState:
    @property
    def is_main_process(self):
        return os.environ.get("RANK", "0") == "0"
