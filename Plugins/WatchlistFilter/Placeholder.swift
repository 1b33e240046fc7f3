// Room for WatchlistFilter.
