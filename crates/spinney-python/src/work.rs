//! Work done without the interpreter's lock, on threads of our own, that Ctrl-C can stop.
//!
//! The calling thread waits, looks after signals, and runs Python's callbacks; the work runs on a
//! pool. On an interrupt, or if a callback raises, the work sees that it is cancelled the next time
//! it asks; the call waits for its end, so that nothing is written later, but for two seconds at
//! most.
//!
//! **Invariant.** A panic in the work becomes a `RuntimeError`. Pools belong to a process: a forked
//! child makes its own, since threads do not survive a fork.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyErr, PyResult, Python};
use rayon::{ThreadPool, ThreadPoolBuilder};
use spinney::mining::InterruptFlag;

/// How often signals are looked after.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long a call waits for cancelled work to end.
const CANCEL_WAIT: Duration = Duration::from_secs(2);
/// Walks over large patterns recurse.
const STACK_BYTES: usize = 16 << 20;
/// More threads than this are never started.
const MAX_THREADS: usize = 1024;

type Pools = Mutex<Option<HashMap<(u32, usize), Arc<ThreadPool>>>>;

static POOLS: Pools = Mutex::new(None);

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build();
    let failed = |e| PyRuntimeError::new_err(format!("cannot start {threads} threads: {e}"));
    let pool = Arc::new(built.map_err(failed)?);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}

/// Flags that no work has any more: they are static, and used again.
static FREE_FLAGS: Mutex<Vec<&'static InterruptFlag>> = Mutex::new(Vec::new());

/// A flag of some work; free again when it has ended.
struct WorkFlag(&'static InterruptFlag);

impl WorkFlag {
    fn new() -> WorkFlag {
        let free = FREE_FLAGS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        WorkFlag(free.unwrap_or_else(|| Box::leak(Box::default())))
    }
}

impl Drop for WorkFlag {
    fn drop(&mut self) {
        self.0.clear();
        FREE_FLAGS.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}

/// Connects work that is being done with the thread that waits for it.
pub(crate) struct Channel<E> {
    flag: Arc<WorkFlag>,
    messages: Sender<Message<E>>,
}

enum Message<E> {
    /// Something happened; the answer says whether to go on.
    Event(E, SyncSender<bool>),
    Done(Result<Box<dyn Any + Send>, String>),
}

impl<E> Channel<E> {
    /// Whether nobody waits for the result any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.interrupt().is_set()
    }

    /// Is set as soon as nobody waits for the result any more.
    pub(crate) fn interrupt(&self) -> &'static InterruptFlag {
        self.flag.0
    }

    /// Sends an event to the calling thread and waits for its answer: whether to go on.
    pub(crate) fn send(&self, event: E) -> bool {
        let (answer, answered) = sync_channel(1);
        self.messages.send(Message::Event(event, answer)).is_ok()
            && answered.recv().unwrap_or(false)
    }
}

/// Does some work on `threads` threads (0: all cores).
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Channel<()>) -> T + Send + 'static,
) -> PyResult<T> {
    run_with_events(py, threads, work, |_, ()| Ok(true))
}

/// The same, with events for the interpreter meanwhile; `on_event` says whether to go on.
pub(crate) fn run_with_events<E: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Channel<E>) -> T + Send + 'static,
    mut on_event: impl FnMut(Python<'_>, E) -> PyResult<bool>,
) -> PyResult<T> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let pool = pool(if threads == 0 { all() } else { threads.min(MAX_THREADS) })?;
    let (messages, mut received) = channel();
    let flag = Arc::new(WorkFlag::new());
    let own = Channel { flag: Arc::clone(&flag), messages: messages.clone() };
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&own)));
        let done = done.map(|t| Box::new(t) as Box<dyn Any + Send>);
        let done = done.map_err(|panic| panic_text(&*panic));
        // Nobody may be waiting any more.
        let _ = messages.send(Message::Done(done));
    });
    let end = wait(py, &mut received, &mut on_event);
    if end.is_err() {
        flag.0.abandon();
        py.detach(move || wait_for_end(&mut received));
    }
    end?.downcast().map(|done| *done).map_err(|_| PyRuntimeError::new_err("a result of no kind"))
}

fn wait<E: Send>(
    py: Python<'_>,
    received: &mut Receiver<Message<E>>,
    on_event: &mut impl FnMut(Python<'_>, E) -> PyResult<bool>,
) -> PyResult<Box<dyn Any + Send>> {
    loop {
        let from = &mut *received;
        match py.detach(move || from.recv_timeout(POLL_INTERVAL)) {
            Ok(Message::Event(event, answer)) => {
                let go_on = on_event(py, event)?;
                let _ = answer.send(go_on);
            }
            Ok(Message::Done(Ok(done))) => return Ok(done),
            Ok(Message::Done(Err(panic))) => return Err(failed(&panic)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(failed("the work was lost")),
        }
        py.check_signals()?;
    }
}

/// Waits until cancelled work has ended, or gives it up.
fn wait_for_end<E>(received: &mut Receiver<Message<E>>) {
    let until = Instant::now() + CANCEL_WAIT;
    loop {
        match received.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Message::Event(_, answer)) => drop(answer.send(false)),
            Ok(Message::Done(_)) | Err(_) => return,
        }
    }
}

fn failed(reason: &str) -> PyErr {
    PyRuntimeError::new_err(format!("spinney failed, please report this: {reason}"))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}
