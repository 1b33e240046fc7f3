// Room for FileReplay.
