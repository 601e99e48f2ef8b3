//! An episode of `token_deque` under way.

use super::bounds;
use super::stimulus::{Code, Operation};
use crate::lockstep::bench::{Bench, Counts, Shape, Stimulus};
use crate::lockstep::idle::Idle;
use crate::lockstep::surroundings::Surroundings;
use heddle_hdl::divergence::token::{Cause, Kind, QueueOperation};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::model::token_deque::{Answer, Token, TokenQueue};
use heddle_sim::model::token_deque_contract::{TokenDequeContract, Transaction};
use heddle_sim::model::TokenDeque;
use heddle_sim::rtl::handler::Handler;
use heddle_sim::rtl::memory::Memory;

/// Cycles after which a push that the push port refuses goes through the operation port.
const PUSH_PATIENCE: u32 = 4;

heddle_hdl::pins! {
    /// The pins that the bench itself drives and reads.
    struct Queue {
        reset, handler_software, spill_base, spill_limit,
        push_valid, push_ready, push_warp, push_kind, push_mask, push_address,
        operation_valid, operation_announce, operation_ready, operation_code, operation_warp, operation_kind,
        operation_mask, operation_address, operation_found, operation_failed,
        response_valid, response_code, response_found, response_merged, response_failed, response_warp, response_kind,
        response_mask, response_address, response_summary,
        exception_valid, exception_cause, exception_warp,
    }
}

/// What the operation port is doing.
#[derive(Clone, Copy, Debug)]
enum Lane {
    Free,
    Announcing(Operation),
    Offering { operation: Operation, waited: u64, allowance: Option<u64> },
}

/// An answer that is due.
#[derive(Clone, Copy, Debug)]
struct Due {
    warp: usize,
    operation: QueueOperation,
    answer: Answer,
}

/// See the module's page.
pub struct Run {
    shape: Shape,
    settings: Surroundings,
    pins: Queue,
    operations: Vec<Operation>,
    next: usize,
    last_pops: usize,
    idle: u8,
    push: Option<(Operation, u32)>,
    lane: Lane,
    resetting: bool,
    sweeping: u64,
    due: Option<Due>,
    queues: Vec<TokenDeque>,
    spilled: Vec<bool>,
    contract: TokenDequeContract,
    memory: Memory,
    handler: Handler,
    exception: Option<(Cause, usize)>,
    progress: u64,
}

impl Run {
    /// Starts an episode on a block that was just reset.
    pub fn new(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Surroundings, Operation>) -> Self {
        let settings = stimulus.settings.clone();
        Self {
            pins: Queue::of(ports),
            operations: stimulus.operations.clone(),
            next: 0,
            last_pops: 0,
            idle: 0,
            push: None,
            lane: Lane::Free,
            resetting: false,
            sweeping: 16 * shape.warps as u64 + 2,
            due: None,
            queues: vec![TokenDeque::new(); shape.warps],
            spilled: vec![false; shape.warps],
            contract: TokenDequeContract::new(shape.warps, settings.capacity(shape)),
            memory: settings.memory(ports),
            handler: settings.handler(shape, ports),
            exception: None,
            progress: 0,
            shape: *shape,
            settings,
        }
    }

    /// The next operation: from the stimulus, then pops until every queue has shown that it is empty.
    fn upcoming(&self) -> Option<Operation> {
        if let Some(operation) = self.operations.get(self.next) {
            return Some(*operation);
        }
        let warp = self.queues.iter().position(|queue| !queue.is_empty());
        let warp = warp.or((self.last_pops < self.shape.warps).then_some(self.last_pops))?;
        Some(Operation { code: Code::PopFront, warp, kind: 0, mask: 0, address: 0, wait: 0, announce: false })
    }

    /// Takes operations from the stimulus as long as their port is free.
    fn dispatch(&mut self) {
        if let (Lane::Free, Some((operation, waited))) = (self.lane, self.push) {
            if waited >= PUSH_PATIENCE {
                self.push = None;
                self.offer(Operation { code: Code::PushFront, announce: false, ..operation });
            }
        }
        while let Some(operation) = self.upcoming() {
            if self.idle < operation.wait {
                self.idle += 1;
                return;
            }
            match operation.code {
                Code::Reset => self.resetting = true,
                Code::Push if self.push.is_none() => self.push = Some((operation, 0)),
                Code::Push => return,
                _ if matches!(self.lane, Lane::Free) => self.offer(operation),
                _ => return,
            }
            self.idle = 0;
            if self.next < self.operations.len() {
                self.next += 1;
            } else {
                self.last_pops += usize::from(self.queues[operation.warp].is_empty());
            }
            if self.resetting {
                return;
            }
        }
    }

    fn offer(&mut self, operation: Operation) {
        self.lane = if operation.announce { Lane::Announcing(operation) } else { self.offering(operation) };
    }

    fn offering(&self, operation: Operation) -> Lane {
        let queue = &self.queues[operation.warp];
        let token = token_of(&operation);
        // A full window sends what comes at its back to memory, without an exception.
        let memory = self.spilled[operation.warp] || queue.len() >= self.shape.depth;
        let allowance = operation
            .code
            .operation()
            .and_then(|code| bounds::allowance(queue, code, token.kind, memory, &self.settings));
        Lane::Offering { operation, waited: 0, allowance: allowance.map(|cycles| cycles + self.sweeping) }
    }

    /// The block is reset: everything it held is gone.
    fn forget(&mut self) {
        self.push = None;
        self.lane = Lane::Free;
        self.due = None;
        self.queues.fill(TokenDeque::new());
        self.spilled.fill(false);
        self.contract = TokenDequeContract::new(self.shape.warps, self.settings.capacity(&self.shape));
        self.memory.forget_answers();
        self.handler.forget();
        self.exception = None;
        self.sweeping = 16 * self.shape.warps as u64 + 2;
        self.resetting = false;
    }

    /// The answer to the operation of the cycle before.
    fn response(&mut self, pins: &Frame) -> Result<(), String> {
        let valid = pins.read(self.pins.response_valid) == 1;
        let Some(Due { warp, operation, answer }) = self.due.take() else {
            return if valid { Err("DQ-06: an answer to nothing".into()) } else { Ok(()) };
        };
        if !valid {
            return Err(format!("DQ-06: no answer to {operation:?} of warp {warp} one cycle after it was accepted"));
        }
        let found = pins.read(self.pins.response_found) == 1;
        let token = if found { Some(self.shown(pins)?) } else { None };
        let seen = Answer {
            token,
            summary: if found { pins.read(self.pins.response_summary) as u8 } else { 0 },
            merged: pins.read(self.pins.response_merged) == 1,
            failed: pins.read(self.pins.response_failed) == 1,
        };
        let place = (pins.read(self.pins.response_warp) as usize, pins.read(self.pins.response_code));
        if place != (warp, operation as u128) {
            return Err(format!("DQ-06: {operation:?} of warp {warp} is due, the answer is for {place:?}"));
        }
        if !agrees(operation, &seen, &answer) {
            return Err(format!("DQ-08: {operation:?} of warp {warp} answered {seen:?}, the model {answer:?}"));
        }
        let answer = if operation == QueueOperation::Find { Answer { summary: answer.summary, ..seen } } else { seen };
        self.judge(Transaction::Response { warp, answer })
    }

    /// The token on the response pins.
    fn shown(&self, pins: &Frame) -> Result<Token, String> {
        let code = pins.read(self.pins.response_kind) as u8;
        let kind =
            Kind::from_code(code).ok_or_else(|| format!("DQ-03: a token of kind {code}, which does not exist"))?;
        let mask = pins.read(self.pins.response_mask) as u64;
        Ok(Token::new(kind, mask, pins.read(self.pins.response_address) as u32))
    }

    fn exception(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let was = self.exception.take();
        if pins.read(self.pins.exception_valid) == 0 {
            return Ok(());
        }
        let warp = pins.read(self.pins.exception_warp) as usize;
        if warp >= self.shape.warps {
            return Err(format!("DQ-09: an exception of warp {warp}, which does not exist"));
        }
        let (cause, name) = match pins.read(self.pins.exception_cause) {
            0 => (Cause::Recenter, "recenter"),
            1 => (Cause::Spill, "spill"),
            2 => (Cause::Refill, "refill"),
            _ => (Cause::Fatal, "fatal"),
        };
        // Software sees the exception until it is done: that is one.
        if self.settings.handler_software && cause != Cause::Fatal && was == Some((cause, warp)) {
            self.exception = was;
            return Ok(());
        }
        self.exception = Some((cause, warp));
        counts.add(name);
        self.spilled[warp] |= cause == Cause::Spill;
        let held = self.queues[warp].len();
        if let Lane::Offering { operation, allowance, .. } = &mut self.lane {
            if operation.warp != warp {
                return Err(format!("DQ-09: {cause:?} for warp {warp} during an operation of warp {}", operation.warp));
            }
            let more = bounds::handler(cause, held, &self.shape, &self.settings);
            let limited = !self.settings.handler_software || cause == Cause::Fatal;
            *allowance = allowance.zip(more.filter(|_| limited)).map(|(cycles, more)| cycles + more);
        } else {
            return Err(format!("DQ-09: {cause:?} for warp {warp} without an operation"));
        }
        if self.settings.handler_software && cause != Cause::Fatal {
            counts.add("software handler");
        }
        self.judge(Transaction::Exception { warp, cause })
    }

    fn accepted_push(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let Some((operation, waited)) = self.push else { return Ok(()) };
        if pins.read(self.pins.push_ready) == 0 {
            self.push = Some((operation, waited + 1));
            return Ok(());
        }
        self.push = None;
        self.progress += 1;
        counts.add("push");
        let token = token_of(&operation);
        self.queues[operation.warp].push_front(token);
        self.note_depth(operation.warp, counts);
        self.judge(Transaction::Push { warp: operation.warp, token })
    }

    fn operation(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let (operation, waited, allowance) = match self.lane {
            Lane::Free => return Ok(()),
            Lane::Announcing(operation) => {
                self.lane = self.offering(operation);
                return Ok(());
            }
            Lane::Offering { operation, waited, allowance } => (operation, waited, allowance),
        };
        let warp = operation.warp;
        let Some(code) = operation.code.operation() else { return Ok(()) };
        if pins.read(self.pins.operation_ready) == 0 {
            let waited = waited + 1;
            if let Some(allowance) = allowance.filter(|allowance| waited > *allowance) {
                let held = self.queues[warp].len();
                return Err(format!(
                    "DQ-06: {code:?} of warp {warp} waits for {waited} cycles, {allowance} allowed, {held} held"
                ));
            }
            self.lane = Lane::Offering { operation, waited, allowance };
            return Ok(());
        }
        self.lane = Lane::Free;
        self.progress += 1;
        let token = token_of(&operation);
        let queue = &mut self.queues[warp];
        let (held, empty) = (queue.len(), queue.is_empty());
        let failed = pins.read(self.pins.operation_failed) == 1;
        let answer = if failed { Answer { failed, ..Answer::default() } } else { queue.apply(code, token) };
        if !failed && matches!(code, QueueOperation::PushBack | QueueOperation::Yield) && held >= self.shape.depth {
            // A full window sends what comes at its back to memory without an exception.
            self.spilled[warp] = true;
        }
        self.spilled[warp] &= !queue.is_empty();
        let limits = self.settings.capacity(&self.shape);
        if failed && !limits.may_fail(code, held) {
            return Err(format!("DQ-12: {code:?} of warp {warp} failed with {held} tokens of {limits:?}"));
        }
        if code == QueueOperation::Find && answer.token.is_some() != (pins.read(self.pins.operation_found) == 1) {
            return Err(format!(
                "DQ-28: find for warp {warp} says found too early or not at all, the model {answer:?}"
            ));
        }
        self.due = Some(Due { warp, operation: code, answer });
        counts.add(event_of(code, &answer));
        if answer.merged {
            counts.add("merge");
        }
        if code == QueueOperation::Yield && empty {
            counts.add("yield of an empty queue");
        }
        self.note_depth(warp, counts);
        self.judge(Transaction::Operation { warp, operation: code, token })
    }

    fn note_depth(&self, warp: usize, counts: &mut Counts) {
        if self.queues[warp].len() > self.shape.depth {
            counts.add("queue of depth + 1 tokens");
        }
    }

    fn judge(&mut self, transaction: Transaction) -> Result<(), String> {
        self.contract.observe(&transaction).map_err(|breach| breach.to_string())
    }

    fn drive_ports(&mut self, pins: &mut Frame) {
        let place = self.pins;
        pins.write(place.push_valid, self.push.is_some().into());
        if let Some((operation, _)) = self.push {
            pins.write(place.push_warp, operation.warp as u128);
            pins.write(place.push_kind, operation.kind.into());
            pins.write(place.push_mask, operation.mask.into());
            pins.write(place.push_address, operation.address.into());
        }
        let (valid, announce, operation) = match self.lane {
            Lane::Free => (0, 0, None),
            Lane::Announcing(operation) => (0, 1, Some(operation)),
            Lane::Offering { operation, .. } => (1, 0, Some(operation)),
        };
        pins.write(place.operation_valid, valid);
        pins.write(place.operation_announce, announce);
        if let Some(operation) = operation {
            pins.write(place.operation_code, operation.code.operation().map_or(0, |code| code as u128));
            pins.write(place.operation_warp, operation.warp as u128);
            pins.write(place.operation_kind, operation.kind.into());
            pins.write(place.operation_mask, operation.mask.into());
            pins.write(place.operation_address, operation.address.into());
        }
    }
}

impl Bench for Run {
    const IDLE: &'static [Idle] = &[
        Idle { strobes: &["push_valid"], ports: &["push_kind", "push_mask", "push_address"] },
        Idle {
            strobes: &["operation_valid", "operation_announce"],
            ports: &["operation_code", "operation_kind", "operation_mask", "operation_address"],
        },
        Idle { strobes: &["memory_response_valid"], ports: &["memory_response_data"] },
        Idle { strobes: &["window_write"], ports: &["window_data"] },
        Idle {
            strobes: &["handler_pointer_write"],
            ports: &["handler_head", "handler_tail", "handler_spill_first", "handler_spill_end", "handler_spill_count"],
        },
    ];

    fn drive(&mut self, pins: &mut Frame) {
        pins.write(self.pins.handler_software, self.settings.handler_software.into());
        pins.write(self.pins.spill_base, self.settings.spill_base(&self.shape).into());
        pins.write(self.pins.spill_limit, self.settings.spill_limit.into());
        self.dispatch();
        pins.write(self.pins.reset, self.resetting.into());
        self.drive_ports(pins);
        self.memory.drive(pins);
        self.handler.drive(pins);
    }

    fn observe(&mut self, pins: &mut Frame, counts: &mut Counts) -> Result<(), String> {
        if self.resetting {
            counts.add("reset");
            self.progress += 1;
            self.forget();
            return Ok(());
        }
        self.sweeping = self.sweeping.saturating_sub(1);
        self.response(pins)?;
        self.exception(pins, counts)?;
        self.accepted_push(pins, counts)?;
        self.operation(pins, counts)?;
        self.memory.observe(pins);
        if self.settings.handler_software {
            self.handler.observe(pins, &mut self.memory).map_err(|unserved| format!("DQ-13: {unserved}"))?;
        }
        Ok(())
    }

    fn finished(&self) -> bool {
        self.upcoming().is_none() && self.push.is_none() && self.due.is_none() && matches!(self.lane, Lane::Free)
    }

    fn begun(&self) -> usize {
        self.next
    }

    fn progress(&self) -> u64 {
        self.progress
    }
}

/// The token that an operation carries; a pop's is of no account.
fn token_of(operation: &Operation) -> Token {
    let kind = match operation.code {
        Code::PushBack | Code::Yield => Kind::Yield,
        _ => Kind::from_code(operation.kind).unwrap_or(Kind::Sync),
    };
    Token::new(kind, operation.mask, operation.address)
}

/// Whether what was seen is what the model says. A find's summary tells nothing: the token stays where it is.
fn agrees(operation: QueueOperation, seen: &Answer, owed: &Answer) -> bool {
    let summary = operation == QueueOperation::Find || owed.token.is_none() || seen.summary == owed.summary;
    summary && (seen.token, seen.merged, seen.failed) == (owed.token, owed.merged, owed.failed)
}

/// The count of an accepted operation.
fn event_of(operation: QueueOperation, answer: &Answer) -> &'static str {
    match operation {
        _ if answer.failed => "failed operation",
        QueueOperation::PopFront if answer.token.is_none() => "pop of nothing",
        QueueOperation::PopFront => "pop",
        QueueOperation::PushFront => "push front",
        QueueOperation::PushBack => "push back",
        QueueOperation::Yield => "yield",
        QueueOperation::Find if answer.token.is_none() => "find of nothing",
        QueueOperation::Find => "find",
        QueueOperation::Clear => "clear",
    }
}
