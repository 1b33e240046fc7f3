// Room for SortingFeed.
