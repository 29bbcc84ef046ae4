//! The memory of this process, where the system tells.

/// The most that was held since the last [`restart`], in bytes.
pub(super) fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// What is held now, in bytes.
pub(super) fn held() -> Option<u64> {
    status("VmRSS:")
}

/// Forgets the peak so far. Where that is not possible, the peak is that of the whole process.
pub(super) fn restart() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}
