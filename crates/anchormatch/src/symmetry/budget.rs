//! How many links a search may still look at.

use crate::monitor::Monitor;

/// Links between two looks at the monitor: some milliseconds.
const LOOK: u64 = 100_000;

/// What is left to spend; nothing is once the monitor says stop.
pub(super) struct Budget<'a> {
    left: u64,
    until_look: u64,
    monitor: &'a Monitor,
}

impl<'a> Budget<'a> {
    pub(super) fn new(links: u64, monitor: &'a Monitor) -> Self {
        Self {
            left: links,
            until_look: 0,
            monitor,
        }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Whether the monitor says stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.monitor.interrupted().is_some()
    }

    /// Takes so many links off; false when nothing is left.
    pub(super) fn spend(&mut self, links: u64) -> bool {
        self.left = self.left.saturating_sub(links);
        match self.until_look.checked_sub(links) {
            Some(rest) => self.until_look = rest,
            None => {
                self.until_look = LOOK;
                if self.monitor.interrupted().is_some() {
                    self.left = 0;
                }
            }
        }
        !self.is_spent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_spent_by_links_or_by_a_stop_soon_after() {
        let monitor = Monitor::silent();
        let mut few = Budget::new(10, &monitor);
        assert!(few.spend(9) && !few.is_spent());
        assert!(!few.spend(1) && few.is_spent());
        let mut many = Budget::new(u64::MAX, &monitor);
        assert!(many.spend(1));
        monitor.cancel_token().cancel();
        let mut looked_at = 0;
        while many.spend(1000) {
            looked_at += 1000;
        }
        assert!(looked_at <= LOOK && many.is_spent());
    }
}
