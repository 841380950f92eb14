//! Memory that detects races between messages and accesses.
//!
//! Every byte carries the id of the last message sent to it, until its owner has read it. With the stage of that
//! message this detects the races: reading or writing a byte whose message is in flight or whose flag was not awaited
//! yet; sending to a byte that another message is about to write; and overwriting a slot that was not read.

/// The state of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Sent, and not yet arrived.
    Flying,
    /// Arrived, and its flag not yet awaited by its target.
    Landed,
    /// Its flag was awaited: the target may rely on it.
    Known,
}

/// A message's number; zero stands for none.
pub type MessageId = u32;

/// All messages of a run.
#[derive(Debug, Default)]
pub struct Stages(Vec<Stage>);

impl Stages {
    /// A new message, flying.
    pub fn add(&mut self) -> MessageId {
        self.0.push(Stage::Flying);
        self.0.len() as MessageId
    }
    /// The state of `id`; for no message it is `Known`.
    pub fn of(&self, id: MessageId) -> Stage {
        if id == 0 { Stage::Known } else { self.0[id as usize - 1] }
    }
    /// Set the state of `id`.
    pub fn set(&mut self, id: MessageId, stage: Stage) {
        if id != 0 {
            self.0[id as usize - 1] = stage;
        }
    }
    /// Number of messages sent so far.
    pub fn count(&self) -> usize {
        self.0.len()
    }
    /// The first message that never became known.
    pub fn first_unknown(&self) -> Option<MessageId> {
        self.0.iter().position(|s| *s != Stage::Known).map(|i| i as MessageId + 1)
    }
}

/// One run of memory of one PE.
#[derive(Debug)]
pub struct Region {
    pub bytes: Vec<u8>,
    marks: Vec<MessageId>,
    /// True if data that was sent here must be read before it is overwritten: for slots, not for results.
    slots: bool,
}

/// The kind of a race, without its place.
pub type Race = &'static str;

impl Region {
    /// `len` bytes of `fill`.
    pub fn new(len: usize, fill: u8, slots: bool) -> Region {
        Region { bytes: vec![fill; len], marks: vec![0; len], slots }
    }

    /// A message is sent to these bytes.
    pub fn claim(&mut self, offset: usize, len: usize, id: MessageId, stages: &Stages) -> Result<(), Race> {
        for mark in &mut self.marks[offset..offset + len] {
            match stages.of(*mark) {
                Stage::Flying => return Err("sends to bytes that another message in flight will write"),
                Stage::Landed => return Err("sends to bytes of a message whose flag its target has not awaited"),
                Stage::Known if *mark != 0 && self.slots => return Err("overwrites a slot that was not read"),
                Stage::Known => *mark = id,
            }
        }
        Ok(())
    }

    /// The owner reads these bytes, which releases them.
    pub fn read(&mut self, offset: usize, len: usize, stages: &Stages) -> Result<(), Race> {
        for mark in &mut self.marks[offset..offset + len] {
            match stages.of(*mark) {
                Stage::Known => *mark = 0,
                _ => return Err("reads bytes of a message that it has not awaited"),
            }
        }
        Ok(())
    }

    /// The owner writes these bytes.
    pub fn write(&mut self, offset: usize, len: usize, stages: &Stages) -> Result<(), Race> {
        for mark in &mut self.marks[offset..offset + len] {
            match stages.of(*mark) {
                Stage::Known if *mark != 0 && self.slots => return Err("overwrites its own slot unread"),
                Stage::Known => *mark = 0,
                _ => return Err("writes bytes of a message that it has not awaited"),
            }
        }
        Ok(())
    }

    /// Another PE reads these bytes.
    pub fn peek(&self, offset: usize, len: usize, stages: &Stages) -> Result<(), Race> {
        if self.marks[offset..offset + len].iter().all(|m| stages.of(*m) == Stage::Known) {
            Ok(())
        } else {
            Err("pulls bytes of a message that their owner has not awaited")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_race_is_named() {
        let mut stages = Stages::default();
        let mut slot = Region::new(8, 0, true);
        let first = stages.add();
        assert!(slot.claim(0, 8, first, &stages).is_ok());
        let second = stages.add();
        assert!(slot.claim(4, 2, second, &stages).unwrap_err().contains("in flight"));
        stages.set(first, Stage::Landed);
        assert!(slot.read(0, 8, &stages).unwrap_err().contains("not awaited"));
        assert!(slot.write(7, 1, &stages).is_err());
        assert!(slot.peek(7, 1, &stages).is_err());
        stages.set(first, Stage::Known);
        assert!(slot.claim(0, 1, second, &stages).unwrap_err().contains("not read"));
        assert!(slot.read(0, 8, &stages).is_ok());
        assert!(slot.claim(0, 8, second, &stages).is_ok());
    }
}
