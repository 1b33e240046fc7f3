/* The reader's instance is replaced, or its input is: a producer, one reader's slot, and a loop that asks for changes.
 *
 *   Producer -> topic -> slot: one instance after the other   <- Loop asks it to leave, or to go on with another inlet
 *
 * To ask is `Slot.ask`: under the slot's lock the request is noted, the inlet held and the token set; then the parker is woken. The
 * instance finishes the batch that it has in hand, finds nothing more, reads the token before it would sleep, and looks at the request in
 * `Slot.pause`. Where it leaves, the loop lets the inlet go, and the next instance goes on at the same cursor and the same parker. Where
 * it is rewired, it lets the inlet go itself. A rewiring may be withdrawn as long as the instance has not taken the request.
 *
 * With -DREATTACH every change also puts another inlet in the place of the old one (`Topic.replace`), of the same kind or of the other:
 * a lossless inlet reads the ring, a lossy one has a mailbox, which drops nothing here. With -DWATCH sleepers leave the heavy barrier
 * to a watch. With -DCUT the slot may be cut off at any time.
 *
 * Memory as in ring.pml, with -DWEAK too: a thread's stores of `head` and of the cursor wait in its buffer. Mutants are chosen by -D: see check.sh.
 */
#ifndef C
#define C 1 /* slots of the ring */
#endif
#ifndef N
#define N 2 /* events */
#endif
#ifndef CHANGES
#define CHANGES 1 /* at most */
#endif
/* The sleeping places. */
#define R 0
#define P 1

/* The topic. */
byte head;     /* in memory; the producer has stored head + pending */
byte pending;
bool announced; /* the attention word: the lossless inlet's bit, and that of all mailboxes */
bool mailboxes;
byte starved;
bool closed;
byte written;  /* slots written so far, committed or not */

/* The present inlet. */
bool attached = true;
bool lossless = true;
byte cursor;   /* of a lossless one, in memory; stored: cursor + lag */
byte lag;
byte position; /* of a lossy one's mailbox: the next event that was not offered */
byte waiting;  /* events in the mailbox */
bool readerWaits;
byte snapshot; /* events that an earlier inlet had in its mailbox: they come first */
bool held;
#ifdef NOT_IN_THE_LIMIT
bool unknown;  /* to the producer */
#endif

/* The slot. */
mtype = { none, leave, rewire };
bool locked;
mtype request = none;
bool quiescing; /* the stop token */
bool cutOff;
bool left;      /* the instance has returned */
bool next;      /* another one may begin */
bool rewired;
byte taken;     /* events that were handed out, over all instances: it is the number of the next */

bool permit[2];
bool asleep[2];
bool endedProducer, endedSlot, endedLoop;

#define own (cursor + lag)
/* The number of the first event that waits, and whether there is one, as the reader sees it. */
#define first (lossless -> own - snapshot : position - waiting - snapshot)
#define waits (snapshot > 0 || (lossless && head != own) || (!lossless && waiting > 0))
#define ready (!held && waits)

inline drainProducer() { head = head + pending; pending = 0 }
inline drainReader() { cursor = cursor + lag; lag = 0 }

#ifdef WEAK
#define rmwProducer skip
#define rmwReader skip
#else
#define rmwProducer drainProducer()
#define rmwReader drainReader()
#endif

#ifdef WATCH
bool noticed[2]; /* the watch has it on its list */
#endif

/* membarrier: every thread's buffer is drained. */
inline heavy() { d_step { drainProducer(); drainReader() } }
inline heavyOfReader() {
#ifdef WATCH
  atomic { noticed[R] = true; rmwReader }
#else
  heavy()
#endif
}
inline heavyOfProducer() {
#ifdef WATCH
  atomic { noticed[P] = true; rmwProducer }
#else
  heavy()
#endif
}

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

/* Topic.offerToMailboxes, under the members' lock. `head` is what the caller sees, whose own stores are drained. */
inline offer() {
  if
  :: attached && !lossless && position < head ->
    assert(written - position <= C);
    waiting = waiting + (head - position);
    position = head;
    if
    :: readerWaits -> readerWaits = false; wake(R)
    :: else
    fi
  :: else
  fi
}

/* Topic.feedProducer */
inline feedProducer() {
  atomic { s = starved; starved = 0; rmwReader };
  if
  :: s != 0 -> atomic { drainReader(); wake(P) }
  :: else
  fi;
  s = 0
}

/* Slot.goOn, under the slot's lock: the inlet is let go, and the reader woken. */
inline letGo() {
  request = none;
  quiescing = false;
  held = false;
#ifndef LETS_GO_WITHOUT_WAKING
  atomic { wake(R) }
#else
  skip
#endif
}

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

/* Topic.replace: by the instance, or by the loop while there is none. The new inlet is not held. */
inline replace() {
#ifdef REATTACH
  atomic { announced = false; rmwReader };
  /* one section of the members' lock */
  atomic {
    drainReader();
    offer();
#ifdef REATTACHES_IN_TWO_SECTIONS
    attached = false
  };
  atomic {
    attached = true;
#endif
    snapshot = snapshot + waiting;
    waiting = 0;
    readerWaits = false;
    if
    :: lossless -> position = cursor
    :: else -> cursor = position
    fi;
    if
    :: lossless = true
    :: lossless = false
    fi;
    /* what only the other kind has: back to one value, for fewer states */
    if
    :: lossless -> position = 0; mailboxes = false
    :: else -> cursor = 0
    fi;
    held = false;
#ifdef NOT_IN_THE_LIMIT
    unknown = true;
#endif
    offer()
  };
#ifndef NO_OFFER_AFTER_REATTACHING
  if
  :: !lossless ->
    atomic { mailboxes = true; rmwReader };
    heavy();
    atomic { offer() }
  :: else
  fi;
#else
  if
  :: !lossless -> atomic { mailboxes = true; rmwReader }
  :: else
  fi;
#endif
#ifndef REATTACHES_WITHOUT_FEEDING
  feedProducer()
#else
  skip
#endif
#else
  skip
#endif
}

active proctype Memory() {
end:
  do
  :: atomic { pending > 0 -> head++; pending-- }
  :: atomic { lag > 0 -> cursor++; lag-- }
  od
}

#ifdef WATCH
active proctype Watch() {
  byte p;
end:
  do
  :: atomic {
       if
       :: noticed[R] -> p = R
       :: noticed[P] -> p = P
       fi
     };
    noticed[p] = false;
    heavy();
    if
    :: p == R && attached && lossless && announced && ready -> atomic { wake(R) }
    :: p == P && starved != 0 && (!attached || !lossless || cursor >= starved) -> atomic { wake(P) }
    :: else
    fi;
    p = 0
  od
}
#endif

active proctype Producer() {
  byte number;
  byte limit = C;
  bool reader, mail;
  do
  :: number == N -> break
  :: else ->
    /* waitForRoom */
    do
    :: number < limit -> break
    :: else ->
      atomic { /* Topic.limit, under the members' lock */
        drainProducer();
        offer();
#ifdef NOT_IN_THE_LIMIT
        if
        :: attached && lossless && !unknown && cursor < number -> limit = cursor + C
#else
        if
        :: attached && lossless && cursor < number -> limit = cursor + C
#endif
        :: else -> limit = number + C
        fi
      };
      if
      :: number < limit -> break
      :: else
      fi;
      atomic { starved = number + 1 - C; rmwProducer };
      heavyOfProducer();
      if
      :: attached && lossless && cursor < number + 1 - C ->
        atomic { drainProducer(); lieDown(P) };
        !asleep[P]
      :: else
      fi;
      starved = 0 /* the announcement is taken back */
    od;

    /* write: neither the reader nor the mailbox may still need what stands there */
    skip;
    d_step {
      assert(!attached || !lossless || number - own < C);
      assert(!attached || lossless || number - position < C);
      written = number + 1
    };
    atomic { number++; pending++ }; /* commit: the store; then one load of the attention word */
    atomic { reader = announced; mail = mailboxes };
    if
    :: mail -> atomic { drainProducer(); offer() }
    :: else
    fi;
    if
    :: reader || mail ->
      atomic { reader = announced; announced = false; rmwProducer };
      if
      :: reader -> atomic { drainProducer(); wake(R) }
      :: else
      fi
    :: else
    fi;
    reader = false;
    mail = false
  od;
  if
  :: true -> /* close at once */
    atomic { drainProducer(); offer() };
    closed = true;
    atomic { announced = false };
    atomic { wake(R) }
  :: true /* left to the monitor */
  fi;
  endedProducer = true
}

/* Inlet.isFinished: what is held waits all the same, so the hold is not looked at. */
inline isFinished() {
  done = closed;
  if
#if defined(FINISHED_WHILE_HELD)
  :: done -> done = !ready
#elif defined(HOLD_LOOKED_AT_LAST)
  :: done ->
    done = !ready;
    if
    :: done -> done = !held
    :: else
    fi
#else
  :: done -> done = !waits
#endif
  :: else
  fi
}

active proctype Slot() {
  byte n, s;
  bool done;
  mtype what = none;
instance:
#ifdef DETACHES_WHEN_LEAVING
  attached = true;
#endif
#ifdef BEGINS_AT_HEAD
  if
  :: lossless -> cursor = head
  :: else
  fi;
#endif
serve:
  do
  :: true ->
    /* Inlet.nextBatch: the hold is looked at first */
    n = 0;
    if
    :: !held ->
      if
      :: snapshot > 0 -> n = snapshot
      :: else -> n = (lossless -> head - own : waiting)
      fi
    :: else
    fi;
    if
    :: n > 0 ->
      /* a batch of one to n events */
      if
      :: n > 1 -> n--
      :: true
      fi;
      assert(first == taken);
      assert(!lossless || snapshot > 0 || written - own <= C);
      atomic {
        taken = taken + n;
        if
        :: snapshot > 0 -> snapshot = snapshot - n
        :: snapshot == 0 && !lossless -> waiting = waiting - n
        :: else -> lag = lag + n /* the store of the cursor; then the light barrier */
        fi;
        n = 0
      };
      if
      :: lossless ->
        s = starved;
        if
        :: s != 0 && own >= s -> feedProducer()
        :: else
        fi;
        s = 0
      :: else
      fi
    :: else ->
      /* sleepUntilReady */
      if
      :: cutOff -> goto over
      :: else
      fi;
      if
      :: quiescing -> goto pause
      :: else
      fi;
      isFinished();
      if
      :: done -> goto pause
      :: else
      fi;
      if
      :: lossless -> atomic { announced = true; rmwReader }
      :: else ->
        atomic { /* under the mailbox's lock */
          done = waiting > 0;
          readerWaits = !done
        };
        if
        :: done && !held -> atomic { wake(R) }
        :: else
        fi
      fi;
      heavyOfReader();
      isFinished();
      if
      :: !done && !ready ->
        atomic { drainReader(); lieDown(R) };
        !asleep[R]
      :: else
      fi;
      if
      :: lossless -> atomic { announced = false; rmwReader }
      :: else
      fi;
      done = false
    fi
  od;

pause:
  done = false;
  atomic { !locked ->
    drainReader();
    what = request;
    if
    :: what == rewire -> request = none
    :: else
    fi
  };
  if
  :: what == leave ->
#ifdef DETACHES_WHEN_LEAVING
    attached = false;
#endif
    atomic { what = none; left = true };
    atomic { next -> next = false };
    goto instance
  :: what == rewire ->
    what = none;
    replace();
    lock();
    letGo();
    unlock();
    rewired = true;
    goto serve
  :: else ->
    isFinished();
    if
    :: done -> done = false
    :: else -> goto serve
    fi
  fi;

over:
  atomic { attached = false; drainReader() };
  feedProducer();
  endedSlot = true
}

inline ask(what) {
#ifdef ASKS_WITHOUT_LOCK
  atomic { !locked -> request = what };
#else
  lock();
  request = what;
#endif
  held = true;
#ifdef WAKES_BEFORE_TELLING
  atomic { wake(R) };
  quiescing = true;
  unlock()
#else
  quiescing = true;
#ifndef ASKS_WITHOUT_LOCK
  unlock();
#endif
  atomic { wake(R) }
#endif
}

/* The run's loop: one change after the other, each at any time. */
active proctype Loop() {
  byte changes, s;
  do
  :: changes == CHANGES || endedSlot -> break
  :: changes < CHANGES && !endedSlot ->
    changes++;
    if
    :: ask(leave);
      if
      :: left -> left = false
      :: endedSlot -> break
      fi;
      lock();
      letGo();
      unlock();
      replace();
      next = true
    :: ask(rewire);
      if
      :: rewired -> rewired = false
      :: endedSlot -> break
      :: true -> /* the time is over: withdrawn, unless the instance has taken it */
        lock();
        if
        :: request == rewire -> letGo(); unlock()
        :: else ->
          unlock();
          if
          :: rewired -> rewired = false
          :: endedSlot -> break
          fi
        fi
      fi
    :: true -> break
    fi
  od;
  endedLoop = true
}

#ifdef CUT
active proctype Canceller() {
  if
  :: cutOff = true; atomic { wake(R) }
  :: true
  fi
}
#endif

/* When nothing moves any more: no process sleeps while there is something for it, and every change has come about or was withdrawn. */
active proctype Monitor() {
  timeout ->
  assert(endedProducer && endedLoop);
  assert(endedSlot || (asleep[R] && taken == N && head == N));
  assert(!cutOff || endedSlot);
  if
  :: !closed ->
    atomic { offer() };
    closed = true;
    announced = false;
    atomic { wake(R) }
  :: else
  fi;
  timeout ->
  assert(endedSlot);
  assert(cutOff || taken == N)
}
