/* A component with two inputs and an output: it sleeps at one place for events of either, for room, and for its cancellation.
 *
 *   Producer(0) -> topic 0 -\
 *                            Relay -> topic 2 -> Reader
 *   Producer(1) -> topic 1 -/
 *
 * Memory as in ring.pml; the relay's stores of its two cursors and of its output's head may be carried out in any order, which is
 * weaker than TSO. With -DWATCH sleepers leave the heavy barrier to a watch. With -DSOLO the second input has ended before, and the relay
 * is not cut off. Mutants are chosen by -D: see check.sh.
 */
#ifndef C
#define C 1 /* slots of each ring */
#endif
#ifndef N0
#define N0 1 /* events of the first producer */
#endif
#ifndef N1
#define N1 1 /* events of the second */
#endif
#define count(x) (x == 0 -> N0 : N1)
/* The sleeping places: the producers' 0 and 1, the relay's, the reader's. */
#define R 2
#define D 3

byte head[3];   /* of each topic, in memory; stored: head + pending */
byte pending[3];
byte cursor[3]; /* of each topic's one reader, in memory; stored: cursor + lag */
byte lag[3];
bool attention[3];
byte starved[3];
bool closed[3];
bool attached[3] = true;
byte written[3];
bool permit[4];
bool asleep[4];
bool cutOff[4]; /* the stop tokens */
bool ended[4];

#define own(x) (cursor[x] + lag[x])
/* Where the topic's reader sleeps. */
#define readerOf(x) (x == 2 -> D : R)

inline flushHead(topic) { head[topic] = head[topic] + pending[topic]; pending[topic] = 0 }
inline flushCursor(topic) { cursor[topic] = cursor[topic] + lag[topic]; lag[topic] = 0 }

/* A locked instruction of a thread, named by its sleeping place. */
inline drain(p) {
  if
  :: p == 0 -> flushHead(0)
  :: p == 1 -> flushHead(1)
  :: p == R -> flushHead(2); flushCursor(0); flushCursor(1)
  :: p == D -> flushCursor(2)
  fi
}

inline heavy() {
#ifndef NO_HEAVY
  d_step { flushHead(0); flushHead(1); flushHead(2); flushCursor(0); flushCursor(1); flushCursor(2) }
#else
  skip
#endif
}

#ifdef WATCH
bool noticed[4]; /* the parkers on the watch's list */
#endif
inline heavyOf(who) {
#ifdef WATCH
  atomic { noticed[who] = true; drain(who) }
#else
  heavy()
#endif
}

inline wake(who) {
  if
  :: asleep[who] -> asleep[who] = false
#ifdef NO_PERMIT
  :: else
#else
  :: else -> permit[who] = true
#endif
  fi
}

inline lieDown(who) {
  if
  :: permit[who] -> permit[who] = false
  :: else -> asleep[who] = true
  fi
}

/* Outlet.waitForRoom of a topic's producer. */
inline waitForRoom(topic, who) {
  do
  :: next < limit -> break
  :: else ->
    d_step {
      if
      :: attached[topic] && cursor[topic] < next -> limit = cursor[topic] + C
      :: else -> limit = next + C
      fi;
      drain(who)
    };
    if
    :: next < limit -> break
    :: else
    fi;
    if
    :: cutOff[who] -> stopped = true; break
    :: else
    fi;
    atomic { starved[topic] = next + 1 - C; drain(who) };
    heavyOf(who);
    if
    :: attached[topic] && cursor[topic] < next + 1 - C ->
      atomic { drain(who); lieDown(who) };
      !asleep[who]
    :: else
    fi;
    starved[topic] = 0 /* the announcement is taken back */
  od;
  skip
}

/* Outlet.write and commit. */
inline publish(topic, who) {
  d_step { assert(!attached[topic] || next - own(topic) < C); written[topic] = next + 1 };
  atomic { next++; pending[topic] = pending[topic] + 1 };
  if
  :: attention[topic] ->
    atomic { attention[topic] = false; drain(who) };
    atomic { wake(readerOf(topic)) }
  :: else
  fi
}

/* Inlet.finish of one event by a topic's reader. */
inline finish(topic, who) {
  assert(written[topic] - own(topic) <= C);
  atomic { lag[topic] = lag[topic] + 1 };
  s = starved[topic];
  if
  :: s != 0 && own(topic) >= s ->
    atomic { s = starved[topic]; starved[topic] = 0; drain(who) };
    if
    :: s != 0 -> atomic { wake(topic) } /* the producer of topic topic sleeps at place topic */
    :: else
    fi
  :: else
  fi;
  s = 0
}

inline close(topic, who) {
  atomic { drain(who); closed[topic] = true };
  atomic { attention[topic] = false };
  atomic { wake(readerOf(topic)) }
}

inline detach(topic, who) {
  atomic { attached[topic] = false; drain(who) };
  atomic { s = starved[topic]; starved[topic] = 0 };
  if
  :: s != 0 -> atomic { wake(topic) }
  :: else
  fi
}

active proctype Memory() {
end:
  do
  :: atomic { pending[0] > 0 -> head[0]++; pending[0]-- }
  :: atomic { pending[1] > 0 -> head[1]++; pending[1]-- }
  :: atomic { pending[2] > 0 -> head[2]++; pending[2]-- }
  :: atomic { lag[0] > 0 -> cursor[0]++; lag[0]-- }
  :: atomic { lag[1] > 0 -> cursor[1]++; lag[1]-- }
  :: atomic { lag[2] > 0 -> cursor[2]++; lag[2]-- }
  od
}

#ifdef WATCH
#define hasEvents(x) (attached[x] && attention[x] && head[x] != cursor[x])
#define hasRoom(x) (starved[x] != 0 && (!attached[x] || cursor[x] >= starved[x]))

/* Runs the barrier for those that fell asleep without one, and looks again on their behalf. */
active proctype Watch() {
  byte p;
end:
  do
  :: atomic {
       if
       :: noticed[0] -> p = 0
       :: noticed[1] -> p = 1
       :: noticed[R] -> p = R
       :: noticed[D] -> p = D
       fi
     };
    noticed[p] = false;
    heavy();
    if
    :: p < R && hasRoom(p) -> atomic { wake(p) }
    :: p == R && (hasEvents(0) || hasEvents(1) || hasRoom(2)) -> atomic { wake(R) }
    :: p == D && hasEvents(2) -> atomic { wake(D) }
    :: else
    fi;
    p = 0
  od
}
#endif

proctype Producer(byte t) {
  byte next;
  byte limit = C;
  bool stopped;
  do
  :: next == count(t) || stopped -> break
  :: else ->
    waitForRoom(t, t);
    if
    :: !stopped -> publish(t, t)
    :: else
    fi
  od;
  if
  :: true -> close(t, t)
  :: true /* left to the monitor */
  fi;
  ended[t] = true
}

proctype Relay() {
  byte next, s, t;
  byte limit = C;
  bool stopped, worked;
  do
  :: stopped || cutOff[R] -> break
  :: else ->
    worked = false;
    t = 0;
    do
    :: t == 2 || stopped -> break
    :: else ->
      if
      :: head[t] != own(t) -> /* one event in hand */
        worked = true;
        waitForRoom(2, R);
        if
        :: !stopped -> publish(2, R); finish(t, R)
        :: else
        fi
      :: else
      fi;
      t++
    od;
    if
    :: worked || stopped
    :: else ->
      if
      :: closed[0] && head[0] == own(0) && closed[1] && head[1] == own(1) -> break
      :: else
      fi;
      atomic { attention[0] = true; drain(R) };
      atomic { attention[1] = true };
      heavyOf(R);
      /* Looked at in one step, because what was found here only ever grows. */
      if
#ifdef LOOKS_AT_ONE
      :: head[0] == own(0) && !closed[0] ->
#else
      :: head[0] == own(0) && head[1] == own(1) && !(closed[0] && closed[1]) ->
#endif
        atomic { drain(R); lieDown(R) };
        !asleep[R]
      :: else
      fi;
      atomic { attention[0] = false };
      atomic { attention[1] = false }
    fi
  od;
  detach(0, R);
  detach(1, R);
  close(2, R);
  ended[R] = true
}

active proctype Reader() {
  byte s;
  do
  :: head[2] != own(2) -> finish(2, D)
  :: else ->
    if
    :: closed[2] ->
      if
      :: head[2] == own(2) -> break
      :: else
      fi
    :: else ->
      atomic { attention[2] = true; drain(D) };
      heavyOf(D);
      if
      :: head[2] == own(2) && !closed[2] ->
        atomic { drain(D); lieDown(D) };
        !asleep[D]
      :: else
      fi;
      atomic { attention[2] = false }
    fi
  od;
  ended[D] = true
}

#ifndef SOLO
/* Cuts the relay off at any time, or never. */
active proctype Canceller() {
  if
#ifdef WAKES_BEFORE_TELLING
  :: true -> atomic { wake(R) }; cutOff[R] = true
#else
  :: cutOff[R] = true; atomic { wake(R) }
#endif
  :: true
  fi
}
#endif

/* When nothing moves any more: no process sleeps while there is something for it. */
active proctype Monitor() {
  byte t;
#ifdef SOLO
  atomic { closed[1] = true; ended[1] = true; run Producer(0); run Relay() };
#else
  atomic { run Producer(0); run Producer(1); run Relay() };
#endif
  timeout ->
  assert(ended[0] && ended[1]);
  assert(ended[R] || (cursor[0] == N0 && cursor[1] == N1 && head[2] == N0 + N1 && !(closed[0] && closed[1])));
  assert(ended[D] || cursor[2] == written[2]);
  assert(!cutOff[R] || ended[R]);
  do
  :: t == 2 -> break
  :: else ->
    if
    :: !closed[t] ->
      closed[t] = true;
      attention[t] = false;
      atomic { wake(R) }
    :: else
    fi;
    t++
  od;
  timeout ->
  assert(ended[R] && ended[D]);
  assert(cursor[2] == written[2]);
  assert(cutOff[R] || cursor[2] == N0 + N1)
}
