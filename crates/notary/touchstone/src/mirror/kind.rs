//! Which files of a shared folder are in common, and how each kind changes.

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileKind {
    /// It never changes, and stays: a snapshot of a list.
    Kept,
    /// It never changes, and is removed when nothing names it any more: the entries of a feed.
    Replaced,
    /// It changes: what says which of the others are in use. It has at most [`MAX_CHANGING`] bytes.
    Changing,
}

/// The most bytes of a file that changes.
pub(super) const MAX_CHANGING: u64 = 4 << 20;

/// The kind of a file of the lists' folder, by its path; `None` for one that is this machine's own, or that this program
/// does not know.
pub(super) fn of_lists(path: &str) -> Option<FileKind> {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["live.json" | "retired.json"] => Some(FileKind::Changing),
        [name] if name.starts_with("fetched-") && name.ends_with(".json") && is_plain(name) => {
            Some(FileKind::Changing)
        }
        ["snapshots", id, "content.jsonl.gz" | "record.json"] if is_hash(id) => Some(FileKind::Kept),
        _ => None,
    }
}

/// The kind of a file of the feeds' folder.
pub(super) fn of_feeds(path: &str) -> Option<FileKind> {
    if !is_plain(path) || path == "shared.json" {
        return None;
    }
    if path.ends_with(".json") {
        return Some(FileKind::Changing);
    }
    let (_, hash) = path.strip_suffix(".feed")?.rsplit_once('.')?;
    is_hash(hash).then_some(FileKind::Replaced)
}

/// Returns true if a name is that of a file in the folder itself, and no hidden one. Names come from the store too.
fn is_plain(name: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_sign)
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_snapshots_that_stay_and_files_that_name_them() {
        let id = "0a".repeat(32);
        assert_eq!(of_lists(&format!("snapshots/{id}/content.jsonl.gz")), Some(FileKind::Kept));
        assert_eq!(of_lists(&format!("snapshots/{id}/record.json")), Some(FileKind::Kept));
        for path in ["live.json", "retired.json", "fetched-ofac-sdn.json"] {
            assert_eq!(of_lists(path), Some(FileKind::Changing), "{path}");
        }
        let derived = format!("snapshots/{id}/index");
        for path in
            [&*derived, "lock", "shared.json", "snapshots/../live.json", "../live.json", "fetched-/../a.json"]
        {
            assert_eq!(of_lists(path), None, "{path}");
        }
    }

    #[test]
    fn feeds_have_entries_that_are_replaced_and_files_that_name_them() {
        let entries = format!("urlhaus.{}.feed", "0a".repeat(32));
        assert_eq!(of_feeds(&entries), Some(FileKind::Replaced));
        assert_eq!(of_feeds("urlhaus.json"), Some(FileKind::Changing));
        for path in
            ["shared.json", ".new-urlhaus-1", "a/b.json", "../b.json", "urlhaus.feed", "urlhaus.0a.feed", ""]
        {
            assert_eq!(of_feeds(path), None, "{path}");
        }
    }
}
