/* A lossy reader: the publisher copies into its mailbox under a lock, once it has seen that there are mailboxes at all.
 *
 * The reader attaches while the producer is publishing: the producer may have looked for mailboxes too early, so the reader
 * announces the first mailbox, runs the heavy barrier and offers what was published meanwhile by itself. From then on everything
 * is under locks. Memory as in ring.pml. Mutants are chosen by -D: see check.sh.
 */
#ifndef N
#define N 4 /* events */
#endif

byte head;
byte pending;
bool mailboxes;    /* the attention word's bit for all lossy readers */
bool member;
byte position;     /* of the mailbox: the next event that was not offered */
byte waiting;      /* events in the mailbox */
bool readerWaits;
bool closed;
byte start;
byte taken;
bool permit;
bool asleep;
bool endedProducer, endedReader;

inline drain() { head = head + pending; pending = 0 }

inline wake() {
  if
  :: asleep -> asleep = false
  :: else -> permit = true
  fi
}

/* Topic.offerToMailboxes under the members' lock, and Mailbox.offer. `upTo` is the head as the caller sees it. */
inline offer(upTo) {
  if
  :: member && position < upTo ->
    waiting = waiting + (upTo - position);
    position = upTo;
    if
    :: readerWaits -> readerWaits = false; wake()
    :: else
    fi
  :: else
  fi
}

active proctype Memory() {
end:
  do
  :: atomic { pending > 0 -> head++; pending-- }
  od
}

active proctype Producer() {
  byte next;
  bool seen;
  do
  :: next == N -> break
  :: else ->
    /* A ring of two: the limit is computed under the lock now and then, and offers too. */
    if
    :: atomic { drain(); offer(head) }
    :: true
    fi;
#ifdef LOOK_FIRST
    seen = mailboxes;
#endif
    atomic { next++; pending++ };
#ifndef LOOK_FIRST
    seen = mailboxes;
#endif
    if
    :: seen -> atomic { drain(); offer(head) }
    :: else
    fi
  od;
  if
  :: true ->
    atomic { drain(); offer(head) };
    atomic { closed = true };
    atomic { wake() }
  :: true /* left to the monitor */
  fi;
  endedProducer = true
}

active proctype Reader() {
  byte n;
  atomic { start = head; position = head; member = true };
  atomic { mailboxes = true };
#ifndef NO_HEAVY
  d_step { drain() };
#endif
#ifndef NO_OFFER_AT_ATTACHING
  atomic { n = head; offer(n); n = 0 };
#endif
  do
  :: true ->
    atomic { n = waiting; waiting = 0 };
    if
    :: n > 0 -> taken = taken + n; n = 0
    :: else ->
      if
      :: closed ->
        if
        :: waiting == 0 -> break
        :: else -> goto next
        fi
      :: else
      fi;
      /* announce: under the mailbox's lock */
      atomic {
        if
        :: waiting > 0 -> permit = true
        :: else -> readerWaits = true
        fi
      };
      if
      :: waiting > 0 || closed -> goto next
      :: else
      fi;
      atomic {
        if
        :: permit -> permit = false
        :: else -> asleep = true
        fi
      };
      !asleep
    fi;
next:
    skip
  od;
  endedReader = true
}

active proctype Monitor() {
  timeout ->
  assert(endedProducer);
  assert(endedReader || taken == N - start);
  if
  :: !closed ->
    atomic { offer(head) };
    closed = true;
    atomic { wake() }
  :: else
  fi;
  timeout ->
  assert(endedReader && taken == N - start)
}
