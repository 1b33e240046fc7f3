#include <sqlite3.h>

/* What Swift cannot call or read by itself: functions with any number of arguments, and macros that are casts. */

/* Switches one of SQLITE_DBCONFIG_… on or off. */
static inline int clibsqlite_switch(sqlite3 *database, int setting, int is_on) {
  return sqlite3_db_config(database, setting, is_on, (int *)0);
}

/* Says that SQLite copies the bytes that are bound. */
static inline sqlite3_destructor_type clibsqlite_copied(void) { return SQLITE_TRANSIENT; }

/* There is no room for the index of the log. */
static const int clibsqlite_shmsize = SQLITE_IOERR_SHMSIZE;
