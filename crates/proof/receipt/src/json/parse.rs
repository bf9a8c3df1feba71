//! Reading JSON text, strictly for requests and leniently for documents that others wrote.

use super::number::{is_exact, scan};
use super::{Json, JsonError, JsonErrorKind, Number, Object, Segment};
use jiter::{Jiter, JiterError, JiterErrorType, JsonErrorType, Peek};

/// The greatest depth of nested arrays and objects: this many are read, one more is refused. It bounds the parser's
/// own recursion as well, so no text can exhaust the stack.
pub const MAX_DEPTH: usize = 64;

/// Reads a request: I-JSON (RFC 7493), one value, nothing after it.
///
/// # Errors
/// [`JsonError`] for what is not JSON in UTF-8, and for duplicate names, lone surrogates, nesting over
/// [`MAX_DEPTH`] and numbers that are not [exact](Number::is_exact).
///
/// ```
/// use receipt::json::parse;
///
/// let refused = parse(br#"{"a":{"b":1,"b":2}}"#).unwrap_err();
/// assert_eq!((refused.code(), refused.path.pointer().as_str()), ("duplicate_key", "/a/b"));
/// ```
pub fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
    Reader::new(bytes, true)?.document()
}

/// Reads a document that somebody else wrote: duplicate names are kept and numbers are taken as they are. A text that
/// cannot be read at all (syntax, UTF-8, lone surrogates) and nesting over [`MAX_DEPTH`] are refused all the same.
///
/// # Errors
/// [`JsonError`] as [`parse`], without the two refusals named above.
pub fn parse_lenient(bytes: &[u8]) -> Result<Json, JsonError> {
    Reader::new(bytes, false)?.document()
}

struct Reader<'j> {
    bytes: &'j [u8],
    jiter: Jiter<'j>,
    /// The offset in `bytes` at which the present `jiter` started.
    base: usize,
    strict: bool,
}

impl<'j> Reader<'j> {
    fn new(bytes: &'j [u8], strict: bool) -> Result<Self, JsonError> {
        if let Err(error) = std::str::from_utf8(bytes) {
            let offset = error.valid_up_to();
            let detail = format!("not UTF-8 at byte {offset}");
            return Err(JsonError::new(JsonErrorKind::InvalidUtf8, offset, detail));
        }
        Ok(Self { bytes, jiter: Jiter::new(bytes), base: 0, strict })
    }

    fn document(mut self) -> Result<Json, JsonError> {
        let read = self.read_document();
        read.map_err(|mut error| {
            error.path.reverse();
            error
        })
    }

    fn read_document(&mut self) -> Result<Json, JsonError> {
        let peek = self.peek()?;
        let value = self.value(peek, 0)?;
        self.jiter.finish().map_err(|error| self.refusal(&error))?;
        Ok(value)
    }

    fn peek(&mut self) -> Result<Peek, JsonError> {
        self.jiter.peek().map_err(|error| self.refusal(&error))
    }

    fn value(&mut self, peek: Peek, depth: usize) -> Result<Json, JsonError> {
        match peek {
            Peek::String => match self.jiter.known_str() {
                Ok(text) => Ok(Json::String(text.to_owned())),
                Err(error) => Err(self.refusal(&error)),
            },
            Peek::Object => self.object(self.deeper(depth)?),
            Peek::Array => self.array(self.deeper(depth)?),
            Peek::Null => self.jiter.known_null().map(|()| Json::Null).map_err(|error| self.refusal(&error)),
            Peek::True | Peek::False => {
                self.jiter.known_bool(peek).map(Json::Bool).map_err(|error| self.refusal(&error))
            }
            _ => self.number(peek).map(Json::Number),
        }
    }

    fn deeper(&self, depth: usize) -> Result<usize, JsonError> {
        if depth < MAX_DEPTH {
            return Ok(depth + 1);
        }
        let detail = format!("arrays and objects are nested more than {MAX_DEPTH} deep");
        Err(JsonError::new(JsonErrorKind::TooDeep, self.offset(), detail))
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut elements = Vec::new();
        let mut next = self.jiter.known_array().map_err(|error| self.refusal(&error))?;
        while let Some(peek) = next {
            let element =
                self.value(peek, depth).map_err(|error| at(error, || Segment::Index(elements.len())))?;
            elements.push(element);
            next = self.jiter.array_step().map_err(|error| self.refusal(&error))?;
        }
        Ok(Json::Array(elements))
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut name = owned(self.jiter.known_object()).map_err(|error| self.refusal(&error))?;
        while let Some(this) = name {
            let value = self.peek().and_then(|peek| self.value(peek, depth));
            match value {
                Ok(value) => members.push((this, value)),
                Err(error) => return Err(at(error, || Segment::Name(this))),
            }
            name = owned(self.jiter.next_key()).map_err(|error| self.refusal(&error))?;
        }
        let object = Object::from_members(members);
        match self.strict.then(|| object.first_duplicate()).flatten() {
            Some(name) => {
                let error = JsonError::new(
                    JsonErrorKind::DuplicateKey,
                    self.offset(),
                    format!("the name {name:?} is given more than once in one object"),
                );
                Err(at(error, || Segment::Name(name.to_owned())))
            }
            None => Ok(Json::Object(object)),
        }
    }

    fn number(&mut self, peek: Peek) -> Result<Number, JsonError> {
        let start = self.offset();
        let read = self.jiter.known_number_bytes(peek).map(<[u8]>::len);
        let length = match read {
            Ok(length) => length,
            Err(error) if is_long_number(&error) => self.long_number(start)?,
            Err(error) => return Err(self.refusal(&error)),
        };
        let text = std::str::from_utf8(&self.bytes[start..start + length]).expect("a number is ASCII");
        if self.strict && !is_exact(text) {
            let detail =
                "the number is not the decimal value of its canonical form (RFC 8785): send it as a string";
            return Err(JsonError::new(JsonErrorKind::NumberNotExact, start, detail));
        }
        Ok(Number::from_checked(text))
    }

    /// jiter stops at integers of over 4,300 digits. Such integers are JSON all the same: this reads the number here
    /// and goes on behind it.
    fn long_number(&mut self, start: usize) -> Result<usize, JsonError> {
        let Some(length) = scan(&self.bytes[start..]) else {
            return Err(JsonError::new(
                JsonErrorKind::Syntax,
                start,
                format!("invalid number at byte {start}"),
            ));
        };
        self.base = start + length;
        self.jiter = Jiter::new(&self.bytes[self.base..]);
        Ok(length)
    }

    fn offset(&self) -> usize {
        self.base + self.jiter.current_index()
    }

    fn refusal(&self, error: &JiterError) -> JsonError {
        let offset = self.base + error.index;
        match &error.error_type {
            JiterErrorType::JsonError(
                JsonErrorType::LoneLeadingSurrogateInHexEscape | JsonErrorType::UnexpectedEndOfHexEscape,
            ) => {
                let detail = format!("a surrogate without its other half at byte {offset}");
                JsonError::new(JsonErrorKind::LoneSurrogate, offset, detail)
            }
            JiterErrorType::JsonError(JsonErrorType::InvalidUnicodeCodePoint) => {
                JsonError::new(JsonErrorKind::InvalidUtf8, offset, format!("not UTF-8 at byte {offset}"))
            }
            JiterErrorType::JsonError(syntax) => {
                JsonError::new(JsonErrorKind::Syntax, offset, format!("not JSON: {syntax} at byte {offset}"))
            }
            JiterErrorType::WrongType { .. } => JsonError::new(
                JsonErrorKind::Syntax,
                offset,
                format!("not JSON: expected value at byte {offset}"),
            ),
        }
    }
}

/// The name as an own string, so that the reader can be used again.
fn owned(name: Result<Option<&str>, JiterError>) -> Result<Option<String>, JiterError> {
    Ok(name?.map(str::to_owned))
}

fn is_long_number(error: &JiterError) -> bool {
    matches!(error.error_type, JiterErrorType::JsonError(JsonErrorType::NumberOutOfRange))
}

/// Adds the step that led to the error. Steps are added from the inside out, and turned round at the end.
fn at(mut error: JsonError, segment: impl FnOnce() -> Segment) -> JsonError {
    if error.has_path() {
        error.path.push(segment());
    }
    error
}
