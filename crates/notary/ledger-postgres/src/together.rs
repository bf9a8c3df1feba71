//! Statements that are sent together, without waiting for one another's answers.
//!
//! Once one of them has failed, the server refuses those after it with 25P02 (`in_failed_sql_transaction`), and which answer
//! is looked at first is chance. The failure of the one says what is to be done: try again, halve the batch, or wait for the
//! store. The others' says nothing. So all answers are awaited, and the cause is what the caller gets.

use crate::connection::Result;
use crate::failure::ConnectionError;

/// Sends statements together and awaits all answers: `tokio::try_join!` for statements of one connection. The error is the
/// one that has made the others fail.
macro_rules! together {
    ($($statement:expr),+ $(,)?) => {
        $crate::together::Answers::all(tokio::join!($($statement),+))
    };
}

pub(crate) use together;

/// The answers of statements that were sent together.
pub(crate) trait Answers {
    type All;

    /// All answers.
    ///
    /// # Errors
    /// The failure that has made the others fail.
    fn all(self) -> Result<Self::All>;
}

/// An answer, if it is none of a failure. A failure is kept in `cause` if it explains more than what is there.
fn keep<T>(cause: &mut Option<ConnectionError>, answer: Result<T>) -> Option<T> {
    match answer {
        Ok(answer) => Some(answer),
        Err(failure) => {
            if cause.as_ref().is_none_or(|known| explains(&failure) > explains(known)) {
                *cause = Some(failure);
            }
            None
        }
    }
}

/// The rank of a failure as the cause of others. A refusal explains none of the server's.
fn explains(failure: &ConnectionError) -> u8 {
    match failure {
        _ if failure.is_consequence() => 0,
        ConnectionError::Ledger(_) => 1,
        _ => 2,
    }
}

impl<T> Answers for Vec<Result<T>> {
    type All = Vec<T>;

    fn all(self) -> Result<Vec<T>> {
        let mut cause = None;
        let answers = self.into_iter().filter_map(|answer| keep(&mut cause, answer)).collect();
        cause.map_or(Ok(answers), Err)
    }
}

macro_rules! answers {
    ($($answer:ident)+) => {
        impl<$($answer),+> Answers for ($(Result<$answer>,)+) {
            type All = ($($answer,)+);

            #[allow(non_snake_case, reason = "an answer is named as its type is")]
            fn all(self) -> Result<Self::All> {
                let ($($answer,)+) = self;
                let mut cause = None;
                match ($(keep(&mut cause, $answer),)+) {
                    ($(Some($answer),)+) => Ok(($($answer,)+)),
                    _ => Err(cause.expect("an answer that is missing has left its failure")),
                }
            }
        }
    };
}

answers!(A B);
answers!(A B C);
answers!(A B C D);
answers!(A B C D E);
answers!(A B C D E F G H I J K);

#[cfg(test)]
mod tests {
    use ledger::LedgerError;

    use super::*;

    #[test]
    fn a_refusal_hides_no_failure_of_the_server() {
        let refused = || Err::<(), _>(ConnectionError::Ledger(LedgerError::Busy));
        let late = || Err::<(), _>(ConnectionError::Late(1));
        assert!(matches!((refused(), late()).all(), Err(ConnectionError::Late(_))));
        assert!(matches!(vec![late(), refused()].all(), Err(ConnectionError::Late(_))));
        assert!(matches!((Ok(1), refused()).all(), Err(ConnectionError::Ledger(_))));
        assert_eq!((Ok(1), Ok("two"), Ok(3)).all().unwrap(), (1, "two", 3));
    }
}
