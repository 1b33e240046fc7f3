/// The tables of the dashboard's people. Times are nanoseconds since 1970. Secrets are stored as their hashes only.
///
/// Person 0 is the local user of a dashboard without accounts, who has no row in `people`. A deleted account leaves a row with its name and an
/// empty password.
enum PeopleLayout {
  static let tables = """
    CREATE TABLE people (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, password TEXT NOT NULL, scopes TEXT NOT NULL,
      created INTEGER NOT NULL, changed INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE people_sessions (
      hash BLOB NOT NULL PRIMARY KEY, person INTEGER NOT NULL, address TEXT NOT NULL,
      created INTEGER NOT NULL, seen INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX people_sessions_by_person ON people_sessions (person, created);
    CREATE TABLE people_invitations (
      hash BLOB NOT NULL PRIMARY KEY, scopes TEXT NOT NULL, expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE people_tokens (
      id INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER NOT NULL, name TEXT NOT NULL, hash BLOB NOT NULL UNIQUE,
      scopes TEXT NOT NULL, created INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX people_tokens_by_person ON people_tokens (person);
    CREATE TABLE people_watchlists (
      person INTEGER NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, symbols TEXT NOT NULL, PRIMARY KEY (person, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE people_rules (
      id INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER NOT NULL, rule TEXT NOT NULL, muted INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX people_rules_by_person ON people_rules (person);
    CREATE TABLE people_settings (person INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;
    """
}
