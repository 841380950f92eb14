//! A parameter server that survives kills of its workers: the others and the successor of the killed one form another job, and go on.
//!
//! torchrun, or anything else that sets RANK and WORLD_SIZE, starts this program once for each member:
//!
//! `torchrun --standalone --nproc-per-node 4 --no-python target/release/examples/parameter_server DIRECTORY`
//!
//! Rank 0 is the server. It keeps the parameters in its own memory, whatever job it is in, and draws the id of each job, which it writes to a
//! file in the directory; an empty file says that the work is done. The process of any other rank starts a worker, and another if that one
//! dies: torchrun would end all. The directory has no such file at the beginning.

use ferrite::prelude::*;
use ferrite::{AllocError, SymSlice, UniqueId, WorldError};
use std::error::Error;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// The workers find the line `y = 3 x - 2` by some of its points.
const LINE: [f64; 2] = [3.0, -2.0];
const RATE: f64 = 0.05;
/// The signal that there are no more steps.
const DONE: u64 = u64::MAX;
/// How long a worker waits for the next id, and how many deaths its starter takes.
const LIMIT: Duration = Duration::from_secs(300);
const DEATHS_MAX: u32 = 100;

type AnyError = Box<dyn Error>;

/// The arguments and variables of this process.
struct Member {
    rank: u32,
    size: u32,
    /// The file with the id.
    id: PathBuf,
    steps: u64,
}

pub(crate) fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("parameter_server: {error}");
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the starter's variables, which are not settings of the library")]
fn run() -> Result<(), AnyError> {
    let number = |name: &str| -> Result<u32, AnyError> {
        Ok(env::var(name).map_err(|_| format!("{name} is not set"))?.parse()?)
    };
    let mut words = env::args().skip(1);
    let directory = words.next().ok_or("usage: parameter_server DIRECTORY [STEPS]")?;
    let steps = words.next().map_or(Ok(1000), |steps| steps.parse())?;
    let member =
        Member { rank: number("RANK")?, size: number("WORLD_SIZE")?, id: Path::new(&directory).join("id"), steps };
    match (member.rank, env::var("IS_WORKER")) {
        (0, _) => serve(&member),
        (_, Ok(_)) => work(&member),
        _ => supervise(),
    }
}

/// Start a worker, again and again until one has come to its end. Workers do not outlive this process.
fn supervise() -> Result<(), AnyError> {
    for _ in 0..DEATHS_MAX {
        let mut worker = Command::new(env::current_exe()?);
        worker.args(env::args().skip(1)).env("IS_WORKER", "1").stdin(Stdio::piped());
        let mut worker = worker.spawn()?;
        // `wait` would close the pipe.
        let _open = worker.stdin.take();
        if worker.wait()?.success() {
            return Ok(());
        }
    }
    Err(format!("{DEATHS_MAX} workers have died").into())
}

/// Symmetric memory of a job.
struct Shared {
    weights: SymSlice<f64>,
    /// Two numbers of each worker, at the server.
    gradients: SymSlice<f64>,
    /// At the server, the last step of each worker; at a worker, in the first, the step to be done.
    steps: SymSlice<Signal>,
}

impl Shared {
    fn new(world: &World) -> Result<Shared, AllocError> {
        let n = world.n_pes() as usize;
        Ok(Shared { weights: world.alloc(2)?, gradients: world.alloc(2 * n)?, steps: world.alloc_signals(n)? })
    }
}

/// The parameters, and the number of steps that they have had.
struct Model {
    weights: [f64; 2],
    step: u64,
}

fn serve(member: &Member) -> Result<(), AnyError> {
    let mut model = Model { weights: [0.0; 2], step: 0 };
    if member.id.exists() {
        return Err(format!("{} is there already: another run has left it", member.id.display()).into());
    }
    for _ in 0..DEATHS_MAX {
        let id = UniqueId::draw()?;
        publish(&member.id, &id.to_bytes())?;
        match World::join_with(&id, 0, member.size, |world| lead(world, &mut model, member.steps)) {
            Ok(led) => led?,
            // A worker that is lost after the last step changes nothing.
            Err(_) if model.step == member.steps => {}
            Err(WorldError::Lost(loss)) => println!("lost {:?} after step {}", loss.pes(), model.step),
            Err(WorldError::Join(error)) => println!("not met: {error}"),
        }
        if model.step == member.steps {
            publish(&member.id, &[])?;
            let [slope, offset] = model.weights;
            println!("{} steps: y = {slope:.6} x + {offset:.6}", model.step);
            return Ok(());
        }
    }
    Err(format!("{DEATHS_MAX} jobs have been broken").into())
}

/// Replace the file as a whole: each reader finds one id or the next.
fn publish(file: &Path, id: &[u8]) -> std::io::Result<()> {
    let new = file.with_extension("new");
    fs::write(&new, id)?;
    fs::rename(&new, file)
}

/// The server's part of a job. A step changes the model only when all workers have done it, so a broken job leaves none half done.
fn lead(world: &World, model: &mut Model, steps: u64) -> Result<(), AllocError> {
    let (shared, workers) = (Shared::new(world)?, 1..world.n_pes());
    let tell = |step: u64, weights: &[f64]| {
        for worker in workers.clone() {
            world.put_signal(&shared.weights, weights, shared.steps.at(0), SignalOp::Set(step), worker);
        }
    };
    println!("{} workers from step {}", workers.len(), model.step + 1);
    while model.step < steps {
        let step = model.step + 1;
        tell(step, &model.weights);
        for worker in workers.clone() {
            world.wait_until(shared.steps.at(worker as usize), Cmp::Eq(step));
        }
        let gradients = shared.gradients.to_vec();
        for (number, weight) in model.weights.iter_mut().enumerate() {
            let sum: f64 = gradients.iter().skip(2 + number).step_by(2).sum();
            *weight -= RATE * sum / workers.len() as f64;
        }
        model.step = step;
    }
    tell(DONE, &model.weights);
    Ok(())
}

fn work(member: &Member) -> Result<(), AnyError> {
    thread::spawn(end_with_supervisor);
    println!("worker {} is process {}", member.rank, std::process::id());
    let mut last = None;
    while let Some(id) = next_id(&member.id, last)? {
        match World::join_with(&UniqueId::from_bytes(&id)?, member.rank, member.size, follow) {
            Ok(followed) => return Ok(followed?),
            Err(error) => eprintln!("worker {}: {error}", member.rank),
        }
        last = Some(id);
    }
    Ok(())
}

/// Nothing is written to this pipe. It is closed when the supervisor ends, however it ends.
#[expect(clippy::disallowed_methods, reason = "the end of a worker whose job may be broken, not that of a job")]
fn end_with_supervisor() {
    let _ = std::io::stdin().read(&mut [0]);
    std::process::exit(1)
}

type IdBytes = [u8; UniqueId::BYTES];

/// Wait for another id than the last. `None` if the work is done.
fn next_id(file: &Path, last: Option<IdBytes>) -> Result<Option<IdBytes>, AnyError> {
    let end = Instant::now() + LIMIT;
    while Instant::now() < end {
        match fs::read(file) {
            Ok(bytes) if bytes.is_empty() => return Ok(None),
            Ok(bytes) if last.is_none_or(|last| last[..] != bytes[..]) => {
                return Ok(Some(bytes.try_into().map_err(|_| "the file has no id")?));
            }
            _ => thread::sleep(Duration::from_millis(5)),
        }
    }
    Err(format!("no other id came within {LIMIT:?}").into())
}

/// A worker's part of a job: the gradient of the squared error at its own points, for each step.
fn follow(world: &World) -> Result<(), AllocError> {
    let (shared, me) = (Shared::new(world)?, world.my_pe());
    let points = [f64::from(me), -f64::from(me) / 2.0].map(|x| x / f64::from(world.n_pes()));
    let mut last = 0;
    loop {
        let step = world.wait_until(shared.steps.at(0), Cmp::Ne(last));
        if step == DONE {
            return Ok(());
        }
        let weights = shared.weights.to_vec();
        let mut gradient = [0.0; 2];
        for x in points {
            let error = (weights[0] - LINE[0]) * x + (weights[1] - LINE[1]);
            gradient[0] += error * x;
            gradient[1] += error;
        }
        // In place of more to compute.
        thread::sleep(Duration::from_millis(1));
        let mine = shared.gradients.range(2 * me as usize..2 * me as usize + 2);
        world.put_signal(mine, &gradient, shared.steps.at(me as usize), SignalOp::Set(step), 0);
        last = step;
    }
}
