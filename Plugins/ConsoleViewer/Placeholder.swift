// Room for ConsoleViewer.
