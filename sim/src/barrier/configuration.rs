//! What BARRIER.CONF sets, as a struct and as the word at the port (BR-06).

use serde::{Deserialize, Serialize};

/// From which arrival a timeout counts (BR-13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimeoutEvent {
    /// The first participating one.
    #[default]
    FirstParticipating = 0,
    /// The first of any.
    FirstOfAny = 1,
    /// The latest participating one.
    LatestParticipating = 2,
    /// The latest of any.
    LatestOfAny = 3,
}

impl TimeoutEvent {
    /// All of them, in the order of their codes.
    pub const ALL: [TimeoutEvent; 4] =
        [Self::FirstParticipating, Self::FirstOfAny, Self::LatestParticipating, Self::LatestOfAny];
}

/// What becomes of arrivals that come too late, and of an impatient barrier (BR-20..BR-24).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LateMode {
    /// They wait until the barrier is idle (BR-21).
    #[default]
    Wait = 0,
    /// They join the running execution (BR-20).
    Join = 1,
    /// They pass: invalid from the turn to dynamic without all participants (BR-22).
    Pass = 2,
    /// As `Pass`, invalid from the turn to idle.
    PassFromIdle = 3,
    /// As `Pass`, only if the count differs from the reference.
    PassIfDifferent = 4,
    /// As `PassFromIdle`, only if the count differs from the reference.
    PassFromIdleIfDifferent = 5,
    /// They sleep, done, until the running section ends (BR-23).
    Skip = 6,
    /// They go on counting towards the reference (BR-24).
    Continue = 7,
}

impl LateMode {
    /// All of them, in the order of their codes.
    pub const ALL: [LateMode; 8] = [
        Self::Wait,
        Self::Join,
        Self::Pass,
        Self::PassFromIdle,
        Self::PassIfDifferent,
        Self::PassFromIdleIfDifferent,
        Self::Skip,
        Self::Continue,
    ];
}

/// What BARRIER.CONF sets (BR-06, BR-12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Configuration {
    /// Membership condition, 1 to 5 (BR-12); 4 and 5 are impatient. Three bits: 0, 6 and 7 are errors.
    pub condition: u8,
    /// Reference count, 10 bits.
    pub reference: u16,
    /// Minimum of participants for condition 5, at least 1, 10 bits.
    pub minimum: u16,
    /// Timeout in cycles; 0 fires at once.
    pub timeout: u16,
    /// From when the timeout counts.
    pub event: TimeoutEvent,
    /// What becomes of late arrivals.
    pub late: LateMode,
    /// 0 to 3, 3 goes first (BR-36).
    pub priority: u8,
    /// Resource class, 0 to 3 (BR-37).
    pub class: u8,
}

impl Default for Configuration {
    /// What every barrier has after a launch.
    fn default() -> Self {
        Self {
            condition: 1,
            reference: 0,
            minimum: 0,
            timeout: 0,
            event: TimeoutEvent::FirstParticipating,
            late: LateMode::Wait,
            priority: 0,
            class: 0,
        }
    }
}

impl Configuration {
    /// The operand of BARRIER.CONF.
    pub const fn word(&self) -> u64 {
        (self.condition & 7) as u64
            | ((self.reference & 0x3ff) as u64) << 3
            | ((self.minimum & 0x3ff) as u64) << 13
            | (self.timeout as u64) << 23
            | (self.event as u64) << 39
            | (self.late as u64) << 41
            | ((self.priority & 3) as u64) << 44
            | ((self.class & 3) as u64) << 46
    }

    /// The configuration in an operand.
    pub const fn from_word(word: u64) -> Self {
        Self {
            condition: (word & 7) as u8,
            reference: (word >> 3 & 0x3ff) as u16,
            minimum: (word >> 13 & 0x3ff) as u16,
            timeout: (word >> 23) as u16,
            event: TimeoutEvent::ALL[(word >> 39 & 3) as usize],
            late: LateMode::ALL[(word >> 41 & 7) as usize],
            priority: (word >> 44 & 3) as u8,
            class: (word >> 46 & 3) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-06: the word carries every attribute, each in its own bits.
    #[test]
    fn br_06_word_and_back() {
        for (place, late) in LateMode::ALL.into_iter().enumerate() {
            let configuration = Configuration {
                condition: (place % 5) as u8 + 1,
                reference: 1023 - place as u16,
                minimum: place as u16 * 17,
                timeout: u16::MAX - 3 * place as u16,
                event: TimeoutEvent::ALL[place % 4],
                late,
                priority: (place % 4) as u8,
                class: (place / 2) as u8 % 4,
            };
            assert_eq!(Configuration::from_word(configuration.word()), configuration);
        }
        let fields = [(1, 0), (1 << 3, 3), (1 << 13, 13), (1 << 23, 23), (1 << 39, 39), (1 << 41, 41), (1 << 44, 44)];
        for (word, bit) in fields {
            assert_eq!(Configuration::from_word(word).word(), 1 << bit);
        }
    }
}
