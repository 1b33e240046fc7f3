// Room for NullSink.
