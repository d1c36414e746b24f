//! Work done without the interpreter's lock, on threads of our own, that Ctrl-C can stop.
//!
//! The calling thread waits, looks after signals, and runs Python's callbacks; the work runs on a
//! pool. On an interrupt the call returns at once; the work is told to stop and ends at its next
//! look, with nobody waiting.
//!
//! **Invariant.** A panic in the work becomes a `RuntimeError`. Pools belong to a process: a forked
//! child makes its own, since threads do not survive a fork.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyErr, PyResult, Python};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How often signals are looked after.
const POLL: Duration = Duration::from_millis(50);
/// Walks over large patterns recurse.
const STACK: usize = 16 << 20;

type Pools = Mutex<Option<HashMap<(u32, usize), Arc<ThreadPool>>>>;

static POOLS: Pools = Mutex::new(None);

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let failed = |e| PyRuntimeError::new_err(format!("cannot start {threads} threads: {e}"));
    let pool = Arc::new(built.map_err(failed)?);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}

/// What work can say and ask while it runs.
pub(crate) struct Desk<M> {
    stopped: Arc<AtomicBool>,
    tell: Sender<Event<M>>,
}

enum Event<M> {
    /// Something to be told, and where to answer whether to go on.
    News(M, SyncSender<bool>),
    Done(Result<Box<dyn Any + Send>, String>),
}

impl<M> Desk<M> {
    /// Whether nobody waits for the result any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Tells the calling thread and waits for its answer: whether to go on.
    pub(crate) fn tell(&self, news: M) -> bool {
        let (answer, answered) = sync_channel(1);
        self.tell.send(Event::News(news, answer)).is_ok() && answered.recv().unwrap_or(false)
    }
}

/// Does some work on `threads` threads (0: all cores).
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Desk<()>) -> T + Send + 'static,
) -> PyResult<T> {
    run_told(py, threads, work, |_, ()| Ok(true))
}

/// The same, with news for the interpreter meanwhile; `hear` says whether to go on.
pub(crate) fn run_told<M: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Desk<M>) -> T + Send + 'static,
    mut hear: impl FnMut(Python<'_>, M) -> PyResult<bool>,
) -> PyResult<T> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let pool = pool(if threads == 0 { all() } else { threads.min(1024) })?;
    let (tell, told) = channel();
    let stopped = Arc::new(AtomicBool::new(false));
    let desk = Desk { stopped: Arc::clone(&stopped), tell: tell.clone() };
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&desk)));
        let done = done.map(|t| Box::new(t) as Box<dyn Any + Send>).map_err(|p| words(&*p));
        // Nobody may be waiting any more.
        let _ = tell.send(Event::Done(done));
    });
    let end = wait(py, told, &mut hear);
    if end.is_err() {
        stopped.store(true, Ordering::Relaxed);
    }
    end?.downcast().map(|done| *done).map_err(|_| PyRuntimeError::new_err("a result of no kind"))
}

fn wait<M: Send>(
    py: Python<'_>,
    mut told: Receiver<Event<M>>,
    hear: &mut impl FnMut(Python<'_>, M) -> PyResult<bool>,
) -> PyResult<Box<dyn Any + Send>> {
    loop {
        let event;
        (told, event) = py.detach(move || {
            let event = told.recv_timeout(POLL);
            (told, event)
        });
        match event {
            Ok(Event::News(news, answer)) => {
                let go_on = hear(py, news)?;
                let _ = answer.send(go_on);
            }
            Ok(Event::Done(Ok(done))) => return Ok(done),
            Ok(Event::Done(Err(panic))) => return Err(failed(&panic)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(failed("the work was lost")),
        }
        py.check_signals()?;
    }
}

fn failed(reason: &str) -> PyErr {
    PyRuntimeError::new_err(format!("spinney failed, please report this: {reason}"))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}
