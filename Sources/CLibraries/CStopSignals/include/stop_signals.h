// Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT from the start of the process on, so that a run that is stopped while it is being set up is
// drained and accounted for like any other.
#ifndef STOCKBUS_STOP_SIGNALS_H
#define STOCKBUS_STOP_SIGNALS_H

/// Catches the signals and keeps them for a reader; only the first call has an effect. SIGHUP stays ignored if it was (`nohup`). Returns a
/// descriptor from which one byte per signal can be read, its number; -1 on failure.
///
/// Called before `main` if the program is `stockbus` and its first argument is a command that runs something (`run`, `watch`, `open`,
/// `print`, `echo`). For all other commands signals keep their default effect.
int stockbus_catch_stop_signals(void);

/// Opens closed standard streams, because otherwise the first file, socket or event queue that the process opens would get their numbers.
/// Reading from the input then fails (EBADF), and writes to the outputs are discarded. Called before `main`; further calls have no effect.
void stockbus_fill_standard_streams(void);

/// Sets whether the signals have a reader. Without one, a second signal that is not a repetition of the first has its default effect.
void stockbus_set_listening(int is_listening);

#endif
