//! The text of an error with its causes.

/// Joins the messages of an error and of its causes by colons. A cause that the message before it has already told is left
/// out: libraries differ in whether they repeat it.
pub fn once(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let cause = || anyhow!("no such file");
        assert_eq!(once(&cause().context("read a: no such file")), "read a: no such file");
        assert_eq!(once(&cause().context("read a").context("start")), "start: read a: no such file");
    }
}
