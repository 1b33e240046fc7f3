/* The writer's instance is replaced: the next one goes on at the same head, while the topic and its reader know nothing of it.
 *
 *   N events -> slot of a processor: one instance after the other -> topic -> Reader
 *
 * Of every event the processor makes M: it sends all but the last, and keeps that back until the next event comes or it is to leave. They are
 * numbered, and the reader looks at the numbers. The processor sleeps in one place for room and for its input, which is all there from
 * the beginning and ends at any time.
 *
 * Two threads take turns: an instance that leaves or fails runs on one, the next on the other. The next one begins when it gets the
 * topic's writing end; that the runtime also waits until the one before it has returned is left out, so that the claim has to do.
 *
 * Memory as in ring.pml: the stores of `head`, each thread's own, and of the reader's cursor wait in buffers. Giving the writing end back is
 * a store too, which waits behind those of `head`. Mutants are chosen by -D: see check.sh.
 */
#ifndef C
#define C 1 /* slots of the ring */
#endif
#ifndef N
#define N 2 /* events of the input */
#endif
#define M 3 /* events of the output for each */
#ifndef CHANGES
#define CHANGES 1 /* at most */
#endif
#ifndef FAILURES
#define FAILURES 1 /* of instances, at most */
#endif
/* The sleeping places: the slot's and the reader's. */
#define W 0
#define R 1

/* The topic. */
byte head;       /* in memory */
byte stored[2];  /* what each thread has stored there last, */
byte pending[2]; /* and how many of its stores are not in memory yet */
bool isWritten;  /* an outlet has the writing end */
bool givesBack[2];
byte cursor;     /* in memory; the reader has stored cursor + lag */
byte lag;
bool attention;
byte starved;
bool closed;
byte slot[C];
#ifdef BEGINS_AT_WRITTEN
byte begin;
#endif

/* The slot and its input. */
bit turn;        /* the thread that the next instance runs on */
byte read;       /* the input's cursor */
bool inputClosed;
bool held;
bool quiescing;
bool locked;
bool asked;      /* the request to leave */
bool leaving;    /* the instance has found it */
byte failures;
byte taken;      /* events that the reader was handed */

bool permit[2];
bool asleep[2];
bool endedSlot, endedReader, endedLoop;

#define own (cursor + lag)

inline drain(i) {
  if
  :: pending[i] > 0 -> head = stored[i]; pending[i] = 0
  :: else
  fi;
  if
  :: givesBack[i] -> givesBack[i] = false; isWritten = false
  :: else
  fi
}
inline drainReader() { cursor = cursor + lag; lag = 0 }
inline heavy() { d_step { drain(0); drain(1); drainReader() } }

inline wake(p) {
  if
  :: asleep[p] -> asleep[p] = false
  :: else -> permit[p] = true
  fi
}

inline lieDown(p) {
  if
  :: permit[p] -> permit[p] = false
  :: else -> asleep[p] = true
  fi
}

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

#ifdef WATCH
bool noticed; /* the slot's parker is on the watch's list */

active proctype Watch() {
end:
  do
  :: noticed ->
    noticed = false;
    heavy();
    if
    :: starved != 0 && cursor >= starved -> atomic { wake(W) }
    :: else
    fi
  od
}
#endif
inline heavyOfSlot() {
#ifdef WATCH
  atomic { noticed = true; drain(me) }
#else
  heavy()
#endif
}

active proctype Memory() {
end:
  do
  :: atomic { pending[0] > 0 -> head = stored[0] - pending[0] + 1; pending[0]-- }
  :: atomic { pending[1] > 0 -> head = stored[1] - pending[1] + 1; pending[1]-- }
#ifdef GIVES_BACK_RELAXED
  :: atomic { givesBack[0] -> givesBack[0] = false; isWritten = false }
  :: atomic { givesBack[1] -> givesBack[1] = false; isWritten = false }
#else
  :: atomic { givesBack[0] && pending[0] == 0 -> givesBack[0] = false; isWritten = false }
  :: atomic { givesBack[1] && pending[1] == 0 -> givesBack[1] = false; isWritten = false }
#endif
  :: atomic { lag > 0 -> cursor++; lag-- }
  od
}

/* Outlet.waitForRoom */
inline waitForRoom() {
  do
  :: next < limit -> break
  :: else ->
    atomic {
      drain(me);
      if
      :: cursor < next -> limit = cursor + C
      :: else -> limit = next + C
      fi
    };
    if
    :: next < limit -> break
    :: else
    fi;
#ifdef CANCELLED_IN_A_BATCH
    if
    :: quiescing -> goto failed
    :: else
    fi;
#endif
    atomic { starved = next + 1 - C; drain(me) };
    heavyOfSlot();
    if
    :: cursor < next + 1 - C ->
      atomic { drain(me); lieDown(W) };
      !asleep[W]
    :: else
    fi;
#ifndef STAYS_ANNOUNCED
    starved = 0 /* the announcement is taken back */
#endif
  od
}

/* Sends the events from `number` on, up to another: each is written and committed as soon as there is room. */
inline send(upTo) {
  do
  :: number == upTo -> break
  :: else ->
    waitForRoom();
    skip; /* Spin's grammar: no jump into a d_step */
    d_step { assert(next - own < C); slot[next % C] = number };
#ifdef BEGINS_AT_WRITTEN
    begin = next + 1;
#endif
    if
    :: true
    :: number == M * read && !keeps && failures < FAILURES -> failures++; goto failed /* before anything of the batch is committed */
    fi;
    atomic { number++; next++; stored[me] = next; pending[me] = pending[me] + 1 };
    if
    :: attention ->
      atomic { attention = false; drain(me) };
      atomic { wake(R) }
    :: else
    fi
  od
}

proctype Instance(bit me) {
  byte next, limit, number;
  bool keeps, done, leaves;
claim:
  /* Topic.claim */
  atomic {
    if
#ifdef NO_CLAIM
    :: turn == me && !leaving && !endedSlot -> isWritten = true
#else
    :: turn == me && !leaving && !endedSlot && !isWritten -> isWritten = true
#endif
    :: endedSlot -> goto over
    fi
  };
#ifdef BEGINS_AT_WRITTEN
  next = begin;
#else
  next = head;
#endif
  atomic { stored[me] = next; limit = (cursor < next -> cursor : next) + C };
serve:
  do
  :: true ->
    waitForRoom();
    if
    :: !held && read < N ->
      /* what was kept of the last event, and all but the last of this one */
      number = (keeps -> M * read - 1 : M * read);
      send(M * read + M - 1);
      keeps = true;
      atomic { number = 0; read++ }
    :: else ->
      /* sleepUntilReady; the input announces nothing here but its end, which wakes in any case */
      if
      :: quiescing -> goto pause
      :: else
      fi;
      done = inputClosed;
      if
      :: done && read == N -> goto pause
      :: else
      fi;
      heavyOfSlot();
      done = inputClosed;
      if
      :: (!held && read < N) || (done && read == N)
      :: else ->
        atomic { drain(me); lieDown(W) };
        !asleep[W]
      fi;
      done = false
    fi
  od;

pause:
  done = false;
  atomic { !locked ->
    drain(me);
    if
    :: asked -> leaving = true; leaves = true
    :: else
    fi
  };
  if
  :: leaves || (inputClosed && read == N)
  :: else -> goto serve
  fi;
#ifdef GIVES_BACK_EARLY
  givesBack[me] = true;
#endif
  /* handOver, or drain */
  if
  :: keeps -> number = M * read - 1; send(M * read); number = 0
  :: else
  fi;
  keeps = false;
#ifndef GIVES_BACK_EARLY
  givesBack[me] = true;
#endif
  if
  :: leaves -> leaves = false
  :: else -> /* Slot.retire: the output's end */
    atomic { drain(me); closed = true };
    attention = false;
    atomic { wake(R) };
    endedSlot = true
  fi;
  goto again;

failed:
  /* Rolled back: what was written is not in `head`, and the event comes again, to the next instance. */
  givesBack[me] = true;
  turn = 1 - me;
again:
  atomic { number = 0; keeps = false; done = false; next = 0; limit = 0 };
  goto claim;
over:
  skip
}

active proctype Reader() {
  byte s;
  do
  :: head != own ->
    assert(slot[own % C] == taken);
    atomic { taken++; lag++ };
    s = starved;
    if
    :: s != 0 && own >= s ->
      atomic { s = starved; starved = 0; drainReader() };
      if
      :: s != 0 -> atomic { wake(W) }
      :: else
      fi
    :: else
    fi;
    s = 0
  :: else ->
    if
    :: closed ->
      if
      :: head == own -> break
      :: else
      fi
    :: else ->
      atomic { attention = true; drainReader() };
      heavy();
      if
      :: head == own && !closed ->
        atomic { drainReader(); lieDown(R) };
        !asleep[R]
      :: else
      fi;
      atomic { attention = false; drainReader() }
    fi
  od;
  endedReader = true
}

/* The run's loop: asks the instance to leave, at any time. */
active proctype Loop() {
  byte changes;
  do
  :: changes == CHANGES || endedSlot -> break
  :: changes < CHANGES && !endedSlot ->
    changes++;
    if
    :: lock();
      asked = true;
      held = true;
      quiescing = true;
      unlock();
      /* the input's sleeping place and the output's, which are one */
      atomic { wake(W) };
      atomic { wake(W) };
      if
      :: leaving
      :: endedSlot -> break
      fi;
      lock();
      asked = false;
      quiescing = false;
      held = false;
      atomic { wake(W) };
      unlock();
      atomic { leaving = false; turn = 1 - turn }
    :: true -> break
    fi
  od;
  endedLoop = true
}

/* When nothing moves any more: no process sleeps while there is something for it. */
active proctype Monitor() {
  atomic { run Instance(0); run Instance(1) };
  if
  :: true -> inputClosed = true; atomic { wake(W) }
  :: true
  fi;
  timeout ->
  assert(endedLoop);
  assert(endedSlot || (asleep[W] && read == N));
  assert(endedReader || (asleep[R] && taken == head));
  if
  :: !inputClosed -> inputClosed = true; atomic { wake(W) }
  :: else
  fi;
  timeout ->
  assert(endedSlot && endedReader);
  assert(taken == M * N)
}
