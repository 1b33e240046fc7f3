// Room for Generator.
