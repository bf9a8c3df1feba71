//! The file of passwords that libpq reads (PostgreSQL's documentation, "The Password File"): lines of
//! `host:port:database:user:password`, of which the first that fits counts. `*` fits everything; `\:` and `\\` stand for a
//! colon and a backslash.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The most bytes of a file.
const MAX_BYTES: u64 = 64 << 10;

/// Reads a file that nobody but its owner may read.
///
/// # Errors
/// It cannot be read, others may read it, or it is too large.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let about = |why: &dyn std::fmt::Display| format!("PGPASSFILE {}: {why}", path.display());
    let file = File::open(path).map_err(|error| about(&error))?;
    let metadata = file.metadata().map_err(|error| about(&error))?;
    if !metadata.is_file() {
        return Err(about(&"it is no file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0 {
        return Err(about(&"others may read it, so it is not used: make its mode 0600 (chmod 0600)"));
    }
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(|error| about(&error))?;
    if text.len() as u64 > MAX_BYTES { Err(about(&"it is larger than 64 KiB")) } else { Ok(text) }
}

/// The password for a connection; `None` where no line fits.
pub(crate) fn password(text: &str, connection: [&str; 4]) -> Option<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(fields).find_map(|fields| {
        let [of_connection @ .., password] = fields.as_slice() else { return None };
        let is_fit = of_connection.len() == connection.len()
            && of_connection.iter().zip(connection).all(|(field, value)| field == "*" || field == value);
        is_fit.then(|| password.clone())
    })
}

/// The fields of a line. What follows the fourth colon is the password, whatever it has.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        let is_last = fields.len() == 5;
        let field = fields.last_mut().expect("there is one from the start");
        match sign {
            '\\' => field.push(signs.next().unwrap_or('\\')),
            ':' if !is_last => fields.push(String::new()),
            other => field.push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let text = "# a comment\n\nnot a line\ndb1:5433:touchstone:notary:first\n\
            db1:*:*:notary:se\\:cr\\\\et:x\n*:*:*:*:last\n";
        for (connection, expected) in [
            (["db1", "5433", "touchstone", "notary"], "first"),
            (["db1", "5432", "touchstone", "notary"], "se:cr\\et:x"),
            (["db2", "5432", "touchstone", "notary"], "last"),
        ] {
            assert_eq!(password(text, connection).as_deref(), Some(expected), "{connection:?}");
        }
        assert_eq!(password("db1:5432:touchstone:notary:x", ["db1", "5432", "touchstone", "other"]), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pgpass");
        std::fs::write(&path, "*:*:*:*:secret\n").unwrap();
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o640);
        let refused = read(&path).unwrap_err();
        assert!(refused.contains("0600") && !refused.contains("secret"), "{refused}");
        mode(0o600);
        assert_eq!(password(&read(&path).unwrap(), ["a", "b", "c", "d"]).as_deref(), Some("secret"));
        assert!(read(&folder.path().join("none")).is_err());
    }
}
