# Rows whose first field is in WATCHLIST, and the header; nothing is typed.
BEGIN { FS = OFS = ","; while ((getline line < WATCHLIST) > 0) wanted[line] = 1 }
NR == 1 || ($1 in wanted)
