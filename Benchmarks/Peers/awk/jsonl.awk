# Rows whose symbol is in WATCHLIST, where "symbol" is the first key; nothing is typed.
BEGIN { FS = "\""; while ((getline line < WATCHLIST) > 0) wanted[line] = 1 }
$4 in wanted
