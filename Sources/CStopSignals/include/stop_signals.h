// SIGINT, SIGTERM, SIGHUP and SIGQUIT from the first instruction of the process on: a run that is told to stop while it is still
// being set up stops, drained and accounted for, instead of dying half started.
#ifndef STOCKBUS_STOP_SIGNALS_H
#define STOCKBUS_STOP_SIGNALS_H

/// Catches the signals from now on and keeps them for whoever reads them; once is enough. SIGHUP stays ignored where it was
/// (`nohup`). Answers the descriptor to read: a byte a signal, its number; -1 where there is none.
///
/// Called before `main` where the program is `stockbus` and its first argument is a command that runs something (`run`, `watch`, `open`, `print`,
/// `echo`); all others die of a signal as usual.
int stockbus_catch_stop_signals(void);

/// Opens standard streams that are closed, or the first file, socket or event queue of the process would become one: the input so that
/// reading it fails (EBADF), the outputs so that what is written is thrown away. Called before `main`; once more does no harm.
void stockbus_fill_standard_streams(void);

/// True while somebody reads them. While nobody does, a second signal that is no echo of the first ends the process as usual.
void stockbus_set_listening(int is_listening);

#endif
