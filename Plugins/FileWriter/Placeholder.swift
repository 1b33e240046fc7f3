// Room for FileWriter.
