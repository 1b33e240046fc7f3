//! crossbeam's and tokio's channels. Prints what the Swift programs print.
//!   rustpeers crossbeam|tokio|broadcast fanout1|fanout3|stages3|roundtrip BATCH|PAUSE_NS EVENTS REPETITIONS
//! None of them sends batches: 64 is sent one after the other.
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc};

const RING: usize = 1 << 14;

#[derive(Clone, Copy, Debug)]
#[allow(dead_code)]
struct Tick {
    symbol: u32,
    flags: u32,
    price: i64,
    size: i64,
    time: i64,
    received: i64,
}

fn tick(i: usize) -> Tick {
    let n = i as i64;
    Tick { symbol: (i & 255) as u32 + 1, flags: 0, price: n, size: 100, time: n, received: n }
}

/// Counts and sums ticks and checks their order.
#[derive(Clone, Copy, Default)]
struct Tally {
    count: i64,
    sum: i64,
    misplaced: i64,
    lost: u64,
}

impl Tally {
    fn add(&mut self, tick: Tick) {
        self.sum = self.sum.wrapping_add(tick.price ^ tick.size);
        if tick.time != self.count {
            self.misplaced += 1;
        }
        self.count += 1;
    }
}

fn report(elapsed: Duration, tallies: &[Tally]) -> String {
    let first = tallies[0];
    let differing = tallies.iter().filter(|t| t.sum != first.sum || t.count != first.count).count();
    let misplaced: i64 = tallies.iter().map(|t| t.misplaced).sum();
    let lost: u64 = tallies.iter().map(|t| t.lost).sum();
    format!(
        "{{\"seconds\":{:.9},\"readers\":{},\"differing\":{},\"events\":{},\"sum\":{},\"misplaced\":{},\"misplaced_anywhere\":{},\"lost\":{}}}",
        elapsed.as_secs_f64(), tallies.len(), differing, first.count, first.sum, first.misplaced, misplaced, lost
    )
}

fn percentiles(mut nanoseconds: Vec<u64>) -> String {
    let trips = nanoseconds.len();
    let mut sorted = nanoseconds.split_off(trips / 4);
    sorted.sort();
    let n = sorted.len();
    format!("{{\"trips\":{},\"p50\":{},\"p99\":{},\"p999\":{}}}", trips, sorted[n / 2], sorted[n * 99 / 100], sorted[n * 999 / 1000])
}

fn spin(nanoseconds: u64) {
    let until = Instant::now() + Duration::from_nanos(nanoseconds);
    while Instant::now() < until {}
}

fn crossbeam(shape: &str, events: usize) -> String {
    use crossbeam_channel::bounded;
    let readers = if shape == "fanout3" { 3 } else { 1 };
    let mut senders = vec![];
    let mut threads = vec![];
    let read = |receiver: crossbeam_channel::Receiver<Tick>| {
        std::thread::spawn(move || {
            let mut tally = Tally::default();
            for tick in receiver {
                tally.add(tick);
            }
            tally
        })
    };
    let mut stages = vec![];
    if shape == "stages3" {
        let (first, one) = bounded::<Tick>(RING);
        let (second, two) = bounded::<Tick>(RING);
        let (third, end) = bounded::<Tick>(RING);
        for (from, to, add) in [(one, second, 1), (two, third, 2)] {
            stages.push(std::thread::spawn(move || {
                for mut tick in from {
                    tick.price += add;
                    to.send(tick).unwrap();
                }
            }));
        }
        senders.push(first);
        threads.push(read(end));
    } else {
        for _ in 0..readers {
            let (sender, receiver) = bounded::<Tick>(RING);
            senders.push(sender);
            threads.push(read(receiver));
        }
    }
    let began = Instant::now();
    for i in 0..events {
        for sender in &senders {
            sender.send(tick(i)).unwrap();
        }
    }
    drop(senders);
    for stage in stages {
        stage.join().unwrap();
    }
    let tallies: Vec<Tally> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    report(began.elapsed(), &tallies)
}

async fn tokio_channels(shape: &str, events: usize) -> String {
    let readers = if shape == "fanout3" { 3 } else { 1 };
    let mut senders = vec![];
    let mut tasks = vec![];
    let read = |mut receiver: mpsc::Receiver<Tick>| {
        tokio::spawn(async move {
            let mut tally = Tally::default();
            while let Some(tick) = receiver.recv().await {
                tally.add(tick);
            }
            tally
        })
    };
    if shape == "stages3" {
        let (first, one) = mpsc::channel::<Tick>(RING);
        let (second, two) = mpsc::channel::<Tick>(RING);
        let (third, end) = mpsc::channel::<Tick>(RING);
        for (mut from, to, add) in [(one, second, 1), (two, third, 2)] {
            tokio::spawn(async move {
                while let Some(mut tick) = from.recv().await {
                    tick.price += add;
                    to.send(tick).await.unwrap();
                }
            });
        }
        senders.push(first);
        tasks.push(read(end));
    } else {
        for _ in 0..readers {
            let (sender, receiver) = mpsc::channel::<Tick>(RING);
            senders.push(sender);
            tasks.push(read(receiver));
        }
    }
    let began = Instant::now();
    tokio::spawn(async move {
        for i in 0..events {
            for sender in &senders {
                sender.send(tick(i)).await.unwrap();
            }
        }
    });
    let mut tallies = vec![];
    for task in tasks {
        tallies.push(task.await.unwrap());
    }
    report(began.elapsed(), &tallies)
}

/// Loses the oldest when a reader is slow: the losses are reported, and the check counts them.
async fn tokio_broadcast(shape: &str, events: usize) -> String {
    let readers = if shape == "fanout3" { 3 } else { 1 };
    let (sender, first) = broadcast::channel::<Tick>(RING);
    let receivers: Vec<_> = (0..readers).map(|_| sender.subscribe()).collect();
    drop(first);
    let mut tasks = vec![];
    for mut receiver in receivers {
        tasks.push(tokio::spawn(async move {
            let mut tally = Tally::default();
            loop {
                match receiver.recv().await {
                    Ok(tick) => tally.add(tick),
                    Err(broadcast::error::RecvError::Lagged(n)) => tally.lost += n,
                    Err(_) => return tally,
                }
            }
        }));
    }
    let began = Instant::now();
    tokio::spawn(async move {
        for i in 0..events {
            let _ = sender.send(tick(i));
        }
    });
    let mut tallies = vec![];
    for task in tasks {
        tallies.push(task.await.unwrap());
    }
    report(began.elapsed(), &tallies)
}

fn crossbeam_round_trips(pause: u64, trips: usize) -> String {
    let (there, echo) = crossbeam_channel::bounded::<Tick>(64);
    let (answer, back) = crossbeam_channel::bounded::<Tick>(64);
    let thread = std::thread::spawn(move || {
        for tick in echo {
            answer.send(tick).unwrap();
        }
    });
    let mut nanoseconds = Vec::with_capacity(trips);
    for i in 0..trips {
        if pause > 0 {
            spin(pause);
        }
        let began = Instant::now();
        there.send(tick(i)).unwrap();
        assert_eq!(back.recv().unwrap().price, i as i64);
        nanoseconds.push(began.elapsed().as_nanos() as u64);
    }
    drop(there);
    thread.join().unwrap();
    percentiles(nanoseconds)
}

async fn tokio_round_trips(pause: u64, trips: usize) -> String {
    let (there, mut echo) = mpsc::channel::<Tick>(64);
    let (answer, mut back) = mpsc::channel::<Tick>(64);
    tokio::spawn(async move {
        while let Some(tick) = echo.recv().await {
            answer.send(tick).await.unwrap();
        }
    });
    let task = tokio::spawn(async move {
        let mut nanoseconds = Vec::with_capacity(trips);
        for i in 0..trips {
            if pause > 0 {
                spin(pause);
            }
            let began = Instant::now();
            there.send(tick(i)).await.unwrap();
            assert_eq!(back.recv().await.unwrap().price, i as i64);
            nanoseconds.push(began.elapsed().as_nanos() as u64);
        }
        nanoseconds
    });
    percentiles(task.await.unwrap())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (peer, shape) = (arguments[1].as_str(), arguments[2].as_str());
    let numbers: Vec<usize> = arguments[3..6].iter().map(|a| a.parse().unwrap()).collect();
    let (batch, events, repetitions) = (numbers[0], numbers[1], numbers[2]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for i in 0..=repetitions {
        let line = match (peer, shape) {
            ("crossbeam", "roundtrip") => crossbeam_round_trips(batch as u64, events),
            ("tokio", "roundtrip") => runtime.block_on(tokio_round_trips(batch as u64, events)),
            ("crossbeam", _) => crossbeam(shape, events),
            ("tokio", _) => runtime.block_on(tokio_channels(shape, events)),
            ("broadcast", _) => runtime.block_on(tokio_broadcast(shape, events)),
            _ => panic!("no peer {peer}"),
        };
        if i > 0 {
            println!("{line}");
        }
    }
}
