/* One topic: a producer that sleeps for room, two readers that sleep for events, closing, cancelling, attaching, detaching.
 *
 * Memory is x86-TSO (Sewell et al., "x86-TSO", CACM 2010) for the two plain stores of the protocol: the producer's store of `head`
 * and a reader's store of its cursor stay in the storing thread's buffer until process Memory carries them out, or the thread
 * does a locked instruction, or another one calls the heavy barrier. All other shared variables are changed by locked instructions
 * and under locks only. With -DWEAK a read-modify-write does not drain its own thread's buffer; the end of a locked section does.
 *
 * With -DWATCH sleepers leave the heavy barrier to a watch, which runs it later, for many at once, and looks again on their behalf.
 *
 * Spinning before sleeping is left out: it only looks more often. Mutants are chosen by -D: see check.sh.
 */
#ifndef C
#define C 2 /* slots of the ring */
#endif
#ifndef N
#define N 3 /* events */
#endif
#define P 2 /* the producer's sleeping place; the readers' are 0 and 1 */

#ifdef SHARED
#define bit(i) 1 /* two readers share a bit */
#else
#define bit(i) (1 + (i)) /* 1 and 2 */
#endif

byte head;      /* in memory; the producer has stored head + pending */
byte pending;
byte cursor[2]; /* in memory; reader i has stored cursor[i] + lag[i] */
byte lag[2];
byte attention;
byte starved;
bool closed;
bool attached[2];
byte written;   /* slots written so far, committed or not */
bool ended[3];

/* The sleeping places: a permit each. */
bool permit[3];
bool asleep[3];
bool cutOff[3]; /* the stop tokens */
#ifdef CANCELLATION_WAKES
bool cancelled; /* the producer's task, whose outlet waits though it is cancelled */
#endif

#define own(i) (cursor[i] + lag[i])

inline drainProducer() { head = head + pending; pending = 0 }
inline drainReader(i) { cursor[i] = cursor[i] + lag[i]; lag[i] = 0 }

#ifdef WEAK
#define rmwProducer skip
#define rmwReader(i) skip
#else
#define rmwProducer drainProducer()
#define rmwReader(i) drainReader(i)
#endif

#ifdef WATCH
bool noticed[3]; /* the watch has it on its list */
#endif

/* membarrier: every thread's buffer is drained. */
inline heavy() { d_step { drainProducer(); drainReader(0); drainReader(1) } }
inline heavyOfReader(i) {
#ifdef WATCH
  atomic { noticed[i] = true; rmwReader(i) }
#elif !defined(NO_HEAVY_OF_READER)
  heavy()
#else
  skip
#endif
}
inline heavyOfProducer() {
#ifdef WATCH
  atomic { noticed[P] = true; rmwProducer }
#elif !defined(NO_HEAVY_OF_PRODUCER)
  heavy()
#else
  skip
#endif
}

inline wake(p) {
  if
  :: asleep[p] -> asleep[p] = false
#ifdef NO_PERMIT
  :: else
#else
  :: else -> permit[p] = true
#endif
  fi
}

inline lieDown(p) {
  if
  :: permit[p] -> permit[p] = false
  :: else -> asleep[p] = true
  fi
}

/* Carries out the stores, one at a time, whenever it likes. */
active proctype Memory() {
end:
  do
  :: atomic { pending > 0 -> head++; pending-- }
  :: atomic { lag[0] > 0 -> cursor[0]++; lag[0]-- }
  :: atomic { lag[1] > 0 -> cursor[1]++; lag[1]-- }
  od
}

#ifdef WATCH
/* Runs the barrier for those that fell asleep without one: a worker that goes idle, or the monitor of the workers. */
active proctype Watch() {
  byte p;
end:
  do
  :: atomic {
       if
       :: noticed[0] -> p = 0
       :: noticed[1] -> p = 1
       :: noticed[P] -> p = P
       fi
     };
#ifndef NOTICE_ENDS_LATE
    noticed[p] = false;
#endif
#ifndef NO_HEAVY_OF_WATCH
    heavy();
#endif
    /* Parker.lookAgain: the causes one after the other, from memory */
    if
    :: p != P && attached[p] && (attention & bit(p)) && head != cursor[p] -> atomic { wake(p) }
    :: p == P && starved != 0 && (!attached[0] || cursor[0] >= starved) && (!attached[1] || cursor[1] >= starved) -> atomic { wake(P) }
    :: else
    fi;
#ifdef NOTICE_ENDS_LATE
    noticed[p] = false;
#endif
    p = 0
  od
}
#endif

active proctype Producer() {
  byte next, bits, low, target;
  byte limit = C;
  do
  :: next == N -> break
  :: else ->
    /* waitForRoom */
    do
    :: next < limit -> break
    :: else ->
      d_step { /* Topic.limit, under the lock */
        low = next;
        if
        :: attached[0] && cursor[0] < low -> low = cursor[0]
        :: else
        fi;
        if
        :: attached[1] && cursor[1] < low -> low = cursor[1]
        :: else
        fi;
        limit = low + C;
        low = 0;
        drainProducer()
      };
      if
      :: next < limit -> break
      :: else
      fi;
      if
      :: cutOff[P] -> goto stop
      :: else
      fi;
      target = next + 1 - C;
      atomic { starved = target; drainProducer() };
      heavyOfProducer();
#ifndef NO_SECOND_LOOK_OF_PRODUCER
      if
      :: (!attached[0] || cursor[0] >= target) && (!attached[1] || cursor[1] >= target) -> goto again
      :: else
      fi;
#endif
#ifdef CANCELLATION_WAKES
      /* a cancellation handler around the sleep: it runs at once where the task is cancelled already */
      if
      :: cancelled -> atomic { drainProducer(); wake(P) }
      :: else
      fi;
#endif
      atomic { drainProducer(); lieDown(P) };
      !asleep[P];
again:
      atomic { target = 0; starved = 0 } /* the announcement is taken back */
    od;

    /* write: nobody may still have to read what stands there */
    skip; /* Spin's grammar: no jump into a d_step */
    d_step {
      assert(!attached[0] || next - own(0) < C);
      assert(!attached[1] || next - own(1) < C);
      written = next + 1
    };
#ifdef LOOK_FIRST
    bits = attention;
#endif
    atomic { next++; pending++ }; /* commit: the store; the light barrier is nothing to the processor */
#ifndef LOOK_FIRST
    bits = attention;
#endif
    if
    :: bits != 0 ->
      atomic { bits = attention; attention = 0; rmwProducer };
      if
      :: bits & bit(0) -> atomic { drainProducer(); wake(0) }
      :: else
      fi;
      if
      :: bits & bit(1) -> atomic { drainProducer(); wake(1) }
      :: else
      fi;
      bits = 0
    :: else
    fi
  od;
stop:
  if
  :: true -> /* close at once */
    atomic { drainProducer(); closed = true };
    atomic { attention = 0; rmwProducer };
#ifndef CLOSE_WITHOUT_WAKING
    atomic { drainProducer(); wake(0) };
    atomic { wake(1) }
#endif
  :: true /* leave it to the monitor, when all is quiet: so that closing does not heal a lost wake-up */
  fi;
  ended[P] = true
}

proctype Reader(byte i) {
  byte n, s;
  /* attach, at any time */
#ifdef ATTACH_WITHOUT_LOCK
  n = head;
  atomic { cursor[i] = n; attached[i] = true };
  n = 0;
#else
  atomic { cursor[i] = head; attached[i] = true };
#endif
  do
  :: cutOff[i] -> break
  :: else ->
    n = head - own(i);
    if
    :: n > 0 ->
      /* a batch of one to n events in hand: its slots must keep what they hold */
      if
      :: n > 1 -> n--
      :: true
      fi;
      assert(written - own(i) <= C);
      atomic { lag[i] = lag[i] + n; n = 0 }; /* finish: the store of the cursor; then the light barrier */
      s = starved;
      if
      :: s != 0 && own(i) >= s ->
        atomic { s = starved; starved = 0; rmwReader(i) };
        if
        :: s != 0 -> atomic { drainReader(i); wake(P) }
        :: else
        fi
      :: else
      fi;
      s = 0
    :: else ->
      if
      :: closed ->
        if
        :: head == own(i) -> break
        :: else -> goto next
        fi
      :: else
      fi;
      atomic { attention = attention | bit(i); rmwReader(i) };
      heavyOfReader(i);
#ifndef NO_SECOND_LOOK_OF_READER
      if
      :: head != own(i) || closed -> goto retract
      :: else
      fi;
#endif
      atomic { drainReader(i); lieDown(i) };
      !asleep[i];
retract:
#if !defined(SHARED) || defined(RETRACT_SHARED)
      atomic { attention = attention & (3 - bit(i)); rmwReader(i) }
#else
      skip
#endif
    fi;
next:
    skip
  od;
  atomic { attached[i] = false; drainReader(i) };
#ifndef DETACH_WITHOUT_FEEDING
  atomic { s = starved; starved = 0 };
  if
  :: s != 0 -> atomic { wake(P) }
  :: else
  fi;
#endif
  ended[i] = true
}

/* Cuts one of them off, or none, at any time. */
active proctype Canceller() {
  if
#ifdef WAKES_BEFORE_TELLING
  :: true -> atomic { wake(0) }; cutOff[0] = true
  :: true -> atomic { wake(P) }; cutOff[P] = true
#else
  :: cutOff[0] = true; atomic { wake(0) }
  :: cutOff[P] = true; atomic { wake(P) }
#endif
#ifdef CANCELLATION_WAKES
  :: true -> atomic { cancelled = true; wake(P) }
#endif
  :: true
  fi
}

/* When nothing moves any more: no process sleeps while there is something for it. */
active proctype Monitor() {
#ifdef SOLO
  /* one reader only: the other has never been there */
  atomic { run Reader(0); ended[1] = true };
#else
  atomic { run Reader(0); run Reader(1) };
#endif
  timeout ->
  assert(ended[P]);
  assert(ended[0] || (asleep[0] && cursor[0] == written && head == written));
  assert(ended[1] || (asleep[1] && cursor[1] == written && head == written));
  assert(!cutOff[0] || ended[0]);
  if
  :: !closed ->
    closed = true;
    attention = 0;
    atomic { wake(0) };
    atomic { wake(1) }
  :: else
  fi;
  timeout ->
  assert(ended[0] && ended[1]);
#ifdef SOLO
  assert(cutOff[0] || cutOff[P] || cursor[0] == N)
#else
  assert(cutOff[0] || cutOff[P] || (cursor[0] == N && cursor[1] == N))
#endif
}
