//! How much memory the machine has free.

use std::fs;

/// Bytes that can be had without swapping, where the system says so (Linux).
///
/// In a container the control group's limit may be lower than what the machine has.
pub fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| mem_available(&text));
    let group = |file: &str| {
        fs::read_to_string(format!("/sys/fs/cgroup/{file}"))
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok())
    };
    let left = match (group("memory.max"), group("memory.current")) {
        (Some(most), Some(used)) => Some(most.saturating_sub(used)),
        _ => None,
    };
    machine.into_iter().chain(left).min()
}

/// The line `MemAvailable:   123 kB`, in bytes.
fn mem_available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_among_others() {
        let text = "MemTotal:  100 kB\nMemAvailable:     42 kB\nBuffers: 1 kB\n";
        assert_eq!(mem_available(text), Some(42 * 1024));
        assert_eq!(mem_available("MemTotal: 100 kB\n"), None);
        assert_eq!(mem_available("MemAvailable: many kB\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_some() {
        assert!(available().is_some_and(|bytes| bytes > 0));
    }
}
