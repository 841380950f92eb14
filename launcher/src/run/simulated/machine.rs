//! A simulated host: its processes are tasks.

use super::world::{Process, World};
use super::{network, pe};
use crate::run::Refusal;
use crate::run::agent::{Agent, listen_above};
use crate::run::agent_link::OPENING;
use crate::run::agent_protocol::Down;
use crate::run::child_agent::{ChildAgent, Shell};
use crate::run::event::Event;
use crate::run::job_spec::{JobHost, JobSpec};
use crate::run::local_job::LocalJob;
use crate::run::machine::Machine;
use crate::run::output_stream::OutputStream;
use crate::run::process_end::ProcessEnd;
use crate::run::spawn::Task;
use ferrite_bootstrap::wire::ToPe;
use ferrite_fabric::Pe;
use rustix::process::{Pid, Rlimit, Signal};
use std::cell::Cell;
use std::io;
use std::process::Stdio;
use std::rc::Rc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::sleep;

/// A host of a [`World`].
pub struct SimulatedMachine {
    world: Rc<World>,
    host: usize,
    name: String,
    living: Cell<usize>,
    events: UnboundedSender<Event>,
}

impl SimulatedMachine {
    pub fn new(world: &Rc<World>, host: usize, events: &UnboundedSender<Event>) -> Self {
        world.hosts.borrow_mut()[host].events = Some(events.clone());
        SimulatedMachine {
            world: world.clone(),
            host,
            name: format!("{host}"),
            living: Cell::new(0),
            events: events.clone(),
        }
    }
}

/// The PEs of a node.
pub fn tasks(spec: &JobSpec, node: u32) -> Vec<Task> {
    let task = |(local, pe)| Task { pe, app: 0, local, cpus: None, gpus: None };
    spec.nodes.pes_of(node).into_iter().enumerate().map(task).collect()
}

pub const UNLIMITED: Rlimit = Rlimit { current: None, maximum: None };

/// An agent, from its start to its end.
async fn agent(world: Rc<World>, host: usize, end: network::End) {
    sleep(world.between(world.weather.shell)).await;
    let (link, finish) = end.link();
    let (events, mut happened) = unbounded_channel();
    link.post(OPENING);
    tokio::task::spawn_local(listen_above(link.clone(), events.clone()));
    let Some(Event::FromParent(Down::Job(spec))) = happened.recv().await else { return };
    let (node, below, settings) = (spec.hosts[0].node, spec.hosts[1..].to_vec(), spec.agent_settings.clone());
    let under: Vec<usize> = below.iter().filter_map(|host| host.host.parse().ok()).collect();
    let machine = SimulatedMachine::new(&world, host, &events);
    let (name, tasks) = (machine.name.clone(), tasks(&spec, node));
    let mut local = LocalJob::new(*spec, Some(node), &below, machine, None, &events).expect("agents start");
    local.start(&tasks, UNLIMITED, Stdio::null(), || {}).expect("PEs start");
    Agent::new(link, local, name, settings).run_to_end(&mut happened).await;
    // However the agent ended, its PEs and its remote shells are killed with it.
    world.kill_all(host);
    world.close(|[from, to]| from == host && under.contains(&to) || to == host && under.contains(&from));
    finish();
}

impl Machine for SimulatedMachine {
    fn start_agent(
        &mut self,
        agent_number: usize,
        spec: &JobSpec,
        hosts: &[JobHost],
        events: &UnboundedSender<Event>,
    ) -> io::Result<ChildAgent> {
        let (world, own) = (self.world.clone(), self.host);
        let target: usize = hosts[0].host.parse().expect("hosts are called by their numbers");
        let [ours, theirs] = network::connect(&world, [own, target]);
        let task = tokio::task::spawn_local(agent(world.clone(), target, theirs));
        world.hosts.borrow_mut()[target].agent = Some(task.abort_handle());
        let shell =
            Shell::Simulated(Box::new(move || world.close(|ends| ends == [own, target] || ends == [target, own])));
        Ok(ChildAgent::over(agent_number, shell, ours.link().0, spec, hosts, events))
    }

    fn start(
        &mut self,
        tasks: &[Task],
        spec: &JobSpec,
        _: Rlimit,
        _: Stdio,
        mut next: impl FnMut(),
    ) -> Result<(), Refusal> {
        for task in tasks {
            next();
            let (inbox, answers) = unbounded_channel();
            let deaf = self.world.draw(4) == 0;
            let process = Process { host: self.host, task: None, inbox, deaf };
            self.world.processes.borrow_mut().insert(task.pe, process);
            let running = pe::run(self.world.clone(), task.pe, spec.nodes.size(), answers, self.events.clone());
            let running = tokio::task::spawn_local(running).abort_handle();
            self.world.processes.borrow_mut().entry(task.pe).and_modify(|process| process.task = Some(running));
        }
        self.living.set(tasks.len());
        Ok(())
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn living(&self) -> usize {
        self.living.get()
    }

    fn pid(&self, pe: Pe) -> i32 {
        pe::pid(pe)
    }

    fn is_alive(&self, pe: Pe) -> bool {
        self.world.processes.borrow().contains_key(&pe)
    }

    fn post(&self, pe: Pe, answer: &ToPe) -> Result<(), String> {
        self.world.processes.borrow().get(&pe).into_iter().for_each(|process| _ = process.inbox.send(answer.clone()));
        Ok(())
    }

    fn credit(&self, _: OutputStream, _: usize) {}

    fn handled(&self, _: Pe) {}

    fn watch(&mut self, _: Pe, _: i32) {}

    fn signal_but(&self, signal: Signal, spared: Option<Pe>) {
        let number = signal.as_raw();
        let dies = |process: &Process| match signal {
            Signal::KILL => true,
            Signal::TERM => !process.deaf,
            _ => false,
        };
        let processes = self.world.processes.borrow();
        let own = processes.iter().filter(|(pe, process)| process.host == self.host && Some(**pe) != spared);
        let dying: Vec<Pe> = own.filter(|(_, process)| dies(process)).map(|(pe, _)| *pe).collect();
        drop(processes);
        dying.into_iter().for_each(|pe| self.world.end(pe, ProcessEnd::Signal { number, core: false }));
    }

    fn reap(&mut self) -> Vec<(Pid, ProcessEnd)> {
        let ended = std::mem::take(&mut self.world.hosts.borrow_mut()[self.host].ended);
        for (pe, end) in ended {
            let left = self.living.get().checked_sub(1).expect("a PE ends once");
            self.living.set(left);
            let _ = self.events.send(Event::PeEnded { pe, end });
        }
        Vec::new()
    }

    fn kill_leftovers(&mut self) -> Option<String> {
        self.world.kill_all(self.host);
        self.living.set(0);
        self.world.hosts.borrow_mut()[self.host].ended.clear();
        None
    }

    fn drain(&mut self) {
        let _ = self.events.send(Event::OutputDrained);
    }
}
