// LMAX Disruptor 3.4.4: one producer, one or three readers, or three stages in place. Prints what the Swift programs print.
//   DisruptorBench yielding|blocking|busyspin fanout1|fanout3|stages3 BATCH EVENTS REPETITIONS
//   DisruptorBench yielding|blocking|busyspin roundtrip PAUSE_NS TRIPS REPETITIONS
import com.lmax.disruptor.*;
import com.lmax.disruptor.dsl.*;
import java.util.*;
import java.util.concurrent.*;

public final class DisruptorBench {
  static final class Tick {
    int symbol, flags;
    long price, size, time, received;
  }

  /** Counts and sums ticks and checks their order. */
  static final class Tally implements EventHandler<Tick> {
    final long expected;
    final CountDownLatch done;
    long count, sum, misplaced;
    long p1, p2, p3, p4, p5, p6, p7, p8; // Away from the next reader's cache line.

    Tally(long expected, CountDownLatch done) {
      this.expected = expected;
      this.done = done;
    }

    public void onEvent(Tick tick, long sequence, boolean endOfBatch) {
      sum += tick.price ^ tick.size;
      if (tick.time != count) misplaced++;
      if (++count == expected) done.countDown();
    }
  }

  /** A stage that changes every tick where it stands. */
  static final class Stage implements EventHandler<Tick> {
    final long add;

    Stage(long add) { this.add = add; }

    public void onEvent(Tick tick, long sequence, boolean endOfBatch) { tick.price += add; }
  }

  static final int RING = Integer.getInteger("ring", 1 << 14);

  static WaitStrategy strategy(String name) {
    switch (name) {
      case "yielding": return new YieldingWaitStrategy();
      case "blocking": return new BlockingWaitStrategy();
      case "busyspin": return new BusySpinWaitStrategy();
      default: throw new IllegalArgumentException(name);
    }
  }

  static Thread daemon(Runnable body) {
    Thread thread = new Thread(body);
    thread.setDaemon(true);
    return thread;
  }

  static void fill(Tick tick, long i) {
    tick.symbol = (int) (i & 255) + 1;
    tick.flags = 0;
    tick.price = i;
    tick.size = 100;
    tick.time = i;
    tick.received = i;
  }

  static String run(String wait, String shape, int batch, long events) throws Exception {
    Disruptor<Tick> disruptor =
        new Disruptor<>(Tick::new, RING, DisruptorBench::daemon, ProducerType.SINGLE, strategy(wait));
    int readers = shape.equals("fanout3") ? 3 : 1;
    CountDownLatch done = new CountDownLatch(readers);
    Tally[] tallies = new Tally[readers];
    for (int i = 0; i < readers; i++) tallies[i] = new Tally(events, done);
    if (shape.equals("stages3")) disruptor.handleEventsWith(new Stage(1)).then(new Stage(2)).then(tallies[0]);
    else disruptor.handleEventsWith(tallies);
    RingBuffer<Tick> ring = disruptor.start();
    Thread.sleep(20);
    long began = System.nanoTime();
    if (batch == 1) {
      for (long i = 0; i < events; i++) {
        long at = ring.next();
        fill(ring.get(at), i);
        ring.publish(at);
      }
    } else {
      for (long i = 0; i < events; i += batch) {
        int n = (int) Math.min(batch, events - i);
        long high = ring.next(n), low = high - n + 1;
        for (long at = low; at <= high; at++) fill(ring.get(at), i + at - low);
        ring.publish(low, high);
      }
    }
    done.await();
    long ended = System.nanoTime();
    disruptor.shutdown();
    long differing = Arrays.stream(tallies).filter(t -> t.sum != tallies[0].sum || t.count != tallies[0].count).count();
    long misplaced = Arrays.stream(tallies).mapToLong(t -> t.misplaced).sum();
    return String.format(Locale.ROOT,
        "{\"seconds\":%.9f,\"readers\":%d,\"differing\":%d,\"events\":%d,\"sum\":%d,\"misplaced\":%d,\"misplaced_anywhere\":%d}",
        (ended - began) / 1e9, readers, differing, tallies[0].count, tallies[0].sum, tallies[0].misplaced, misplaced);
  }

  static String roundTrips(String wait, long pause, int trips) throws Exception {
    Disruptor<Tick> there = new Disruptor<>(Tick::new, 1024, DisruptorBench::daemon, ProducerType.SINGLE, strategy(wait));
    Disruptor<Tick> back = new Disruptor<>(Tick::new, 1024, DisruptorBench::daemon, ProducerType.SINGLE, strategy(wait));
    RingBuffer<Tick> thereRing = there.getRingBuffer(), backRing = back.getRingBuffer();
    long[] latencies = new long[trips];
    CountDownLatch done = new CountDownLatch(1);
    there.handleEventsWith((tick, sequence, end) -> {
      long at = backRing.next();
      Tick echo = backRing.get(at);
      echo.price = tick.price;
      echo.time = tick.time;
      backRing.publish(at);
    });
    back.handleEventsWith((tick, sequence, end) -> {
      int i = (int) tick.price;
      latencies[i] = System.nanoTime() - tick.time;
      if (i + 1 == trips) {
        done.countDown();
        return;
      }
      if (pause > 0) for (long until = System.nanoTime() + pause; System.nanoTime() < until; ) {}
      ping(thereRing, i + 1);
    });
    there.start();
    back.start();
    Thread.sleep(20);
    ping(thereRing, 0);
    done.await();
    there.shutdown();
    back.shutdown();
    long[] sorted = Arrays.copyOfRange(latencies, trips / 4, trips);
    Arrays.sort(sorted);
    int n = sorted.length;
    return String.format("{\"trips\":%d,\"p50\":%d,\"p99\":%d,\"p999\":%d}", trips, sorted[n / 2],
        sorted[(int) (n * 99L / 100)], sorted[(int) (n * 999L / 1000)]);
  }

  static void ping(RingBuffer<Tick> ring, long number) {
    long at = ring.next();
    Tick tick = ring.get(at);
    tick.price = number;
    tick.time = System.nanoTime();
    ring.publish(at);
  }

  public static void main(String[] arguments) throws Exception {
    String wait = arguments[0], shape = arguments[1];
    int batch = Integer.parseInt(arguments[2]);
    long events = Long.parseLong(arguments[3]);
    int repetitions = Integer.parseInt(arguments[4]);
    // Two for the just-in-time compiler.
    for (int i = -2; i < repetitions; i++) {
      String line = shape.equals("roundtrip") ? roundTrips(wait, batch, (int) events) : run(wait, shape, batch, events);
      if (i >= 0) System.out.println(line);
    }
  }
}
