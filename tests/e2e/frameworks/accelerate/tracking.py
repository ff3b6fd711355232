LOGGER_TYPE_TO_CLASS = {}


class GeneralTracker:
    main_process_only = True

    def __init__(self, _blank=False):
        missing = [name for name in ("name", "requires_logging_directory", "tracker") if name not in dir(self)]
        if missing and not _blank:
            raise NotImplementedError(f"missing: {missing}")

    def start(self):
        pass

    def store_init_configuration(self, values):
        pass

    def log(self, values, step=None, **kwargs):
        pass

    def finish(self):
        pass


def register_tracker_class(tracker_class):
    if not issubclass(tracker_class, GeneralTracker) or not tracker_class.name:
        raise ValueError(f"{tracker_class} is no tracker with a name")
    LOGGER_TYPE_TO_CLASS[tracker_class.name] = tracker_class
