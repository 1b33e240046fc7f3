"""One module a part of the benchmark; each answers its works."""
