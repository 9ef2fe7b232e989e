//! Which tokens may come so that a text is JSON: an automaton over its bytes.
//!
//! The text is an object or an array, at every token the beginning of one, and whole where it stops by itself. It is UTF-8,
//! nests at most 64 deep and has no `\u` escape of a surrogate.

use crate::Result;

/// What may come next, inside the innermost object or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// A value; or the end of an array that has none yet.
    Value {
        or_end: bool,
    },
    /// The first key or the end of an object; a key behind a comma.
    Key {
        or_end: bool,
    },
    /// The colon behind a key.
    Colon,
    /// A comma or the end of what is open; nothing but space behind the whole.
    More,
    /// Of `true`, `false` or `null`, what is left.
    Word(&'static [u8]),
    Number(Number),
    Text {
        is_key: bool,
        inside: Inside,
    },
}

/// Where in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Minus,
    Zero,
    Whole,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

/// Where in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Plain,
    Escape,
    /// In the digits of `\u`: how many are left, and whether the first was D, behind which 8 to F begin a surrogate.
    Hex {
        left: u8,
        is_d: bool,
    },
    /// In a character of several bytes: how many are left, and which the next may be.
    Utf8 {
        left: u8,
        from: u8,
        to: u8,
    },
}

/// The automaton, after some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json {
    expect: Expect,
    /// A bit for each open object or array, the innermost lowest; set for objects.
    open: u64,
    depth: u32,
}

const DEEPEST: u32 = 64;

impl Json {
    /// Before the first byte.
    #[must_use]
    pub fn new() -> Json {
        Json { expect: Expect::Value { or_end: false }, open: 0, depth: 0 }
    }

    /// Whether the text is whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.depth == 0 && self.expect == Expect::More
    }

    /// After one more byte, if it may come.
    #[must_use]
    pub fn after(self, byte: u8) -> Option<Json> {
        let with = |expect| Some(Json { expect, ..self });
        match (self.expect, byte) {
            (Expect::Text { is_key, inside: Inside::Plain }, b'"') => {
                with(if is_key { Expect::Colon } else { Expect::More })
            }
            (Expect::Text { is_key, inside }, _) => {
                with(Expect::Text { is_key, inside: inside.after(byte)? })
            }
            (Expect::Word([first, rest @ ..]), _) => match (byte == *first, rest) {
                (true, []) => with(Expect::More),
                (true, rest) => with(Expect::Word(rest)),
                (false, _) => None,
            },
            (Expect::Number(number), _) => match number.after(byte) {
                Some(number) => with(Expect::Number(number)),
                None if number.may_end() => Json { expect: Expect::More, ..self }.after(byte),
                None => None,
            },
            (_, b' ' | b'\t' | b'\n' | b'\r') => Some(self),
            (Expect::Value { .. }, b'{') => self.opened(true),
            (Expect::Value { .. }, b'[') => self.opened(false),
            (Expect::Value { or_end: true }, b']') | (Expect::Key { or_end: true }, b'}') => {
                Some(self.closed())
            }
            // The whole is an object or an array.
            (Expect::Value { .. }, _) if self.depth == 0 => None,
            (Expect::Value { .. }, _) => with(scalar(byte)?),
            (Expect::Key { .. }, b'"') => with(Expect::Text { is_key: true, inside: Inside::Plain }),
            (Expect::Colon, b':') => with(Expect::Value { or_end: false }),
            (Expect::More, _) if self.depth > 0 => match (byte, self.open & 1 == 1) {
                (b',', true) => with(Expect::Key { or_end: false }),
                (b',', false) => with(Expect::Value { or_end: false }),
                (b'}', true) | (b']', false) => Some(self.closed()),
                _ => None,
            },
            _ => None,
        }
    }

    /// After some more bytes, if they may come.
    #[must_use]
    pub fn after_all(self, bytes: &[u8]) -> Option<Json> {
        bytes.iter().try_fold(self, |json, &byte| json.after(byte))
    }

    fn opened(self, is_object: bool) -> Option<Json> {
        let expect = if is_object { Expect::Key { or_end: true } } else { Expect::Value { or_end: true } };
        let open = self.open << 1 | u64::from(is_object);
        (self.depth < DEEPEST).then_some(Json { expect, open, depth: self.depth + 1 })
    }

    fn closed(self) -> Json {
        Json { expect: Expect::More, open: self.open >> 1, depth: self.depth - 1 }
    }
}

impl Default for Json {
    fn default() -> Json {
        Json::new()
    }
}

/// What a value that is neither object nor array begins with.
fn scalar(byte: u8) -> Option<Expect> {
    Some(match byte {
        b'"' => Expect::Text { is_key: false, inside: Inside::Plain },
        b't' => Expect::Word(b"rue"),
        b'f' => Expect::Word(b"alse"),
        b'n' => Expect::Word(b"ull"),
        b'-' => Expect::Number(Number::Minus),
        b'0' => Expect::Number(Number::Zero),
        b'1'..=b'9' => Expect::Number(Number::Whole),
        _ => return None,
    })
}

impl Number {
    fn after(self, byte: u8) -> Option<Number> {
        Some(match (self, byte) {
            (Number::Minus, b'0') => Number::Zero,
            (Number::Minus, b'1'..=b'9') | (Number::Whole, b'0'..=b'9') => Number::Whole,
            (Number::Zero | Number::Whole, b'.') => Number::Point,
            (Number::Point | Number::Fraction, b'0'..=b'9') => Number::Fraction,
            (Number::Zero | Number::Whole | Number::Fraction, b'e' | b'E') => Number::E,
            (Number::E, b'+' | b'-') => Number::Sign,
            (Number::E | Number::Sign | Number::Exponent, b'0'..=b'9') => Number::Exponent,
            _ => return None,
        })
    }

    fn may_end(self) -> bool {
        matches!(self, Number::Zero | Number::Whole | Number::Fraction | Number::Exponent)
    }
}

impl Inside {
    /// After one more byte that does not end the string, if it may come.
    fn after(self, byte: u8) -> Option<Inside> {
        Some(match (self, byte) {
            (Inside::Plain, b'\\') => Inside::Escape,
            (Inside::Plain, 0x20..=0x7F)
            | (Inside::Escape, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Inside::Plain,
            (Inside::Plain, _) => utf8(byte)?,
            (Inside::Escape, b'u') => Inside::Hex { left: 4, is_d: false },
            (Inside::Hex { left, is_d }, _) => {
                let digit = char::from(byte).to_digit(16)?;
                match left {
                    3 if is_d && digit >= 8 => return None,
                    1 => Inside::Plain,
                    _ => Inside::Hex { left: left - 1, is_d: left == 4 && digit == 0xD },
                }
            }
            (Inside::Utf8 { left, from, to }, _) if (from..=to).contains(&byte) => match left {
                1 => Inside::Plain,
                _ => Inside::Utf8 { left: left - 1, from: 0x80, to: 0xBF },
            },
            _ => return None,
        })
    }
}

/// What follows the first byte of a character of several: neither longer forms of others, nor surrogates, nor what lies
/// beyond Unicode.
fn utf8(first: u8) -> Option<Inside> {
    let (left, from, to) = match first {
        0xC2..=0xDF => (1, 0x80, 0xBF),
        0xE0 => (2, 0xA0, 0xBF),
        0xE1..=0xEC | 0xEE..=0xEF => (2, 0x80, 0xBF),
        0xED => (2, 0x80, 0x9F),
        0xF0 => (3, 0x90, 0xBF),
        0xF1..=0xF3 => (3, 0x80, 0xBF),
        0xF4 => (3, 0x80, 0x8F),
        _ => return None,
    };
    Some(Inside::Utf8 { left, from, to })
}

/// The tokens that may come, as bits.
pub struct JsonMask {
    json: Json,
    tokens: Vec<Vec<u8>>,
    stop: Vec<u32>,
    words: Vec<i32>,
}

impl JsonMask {
    /// For tokens that add these bytes, none for those that are no text, and `stop`, which may come when the text is whole,
    /// and alone.
    ///
    /// # Errors
    /// No token that stops, or one that is no token; none that begins a text.
    pub fn new(tokens: Vec<Vec<u8>>, stop: &[u32]) -> Result<JsonMask> {
        if stop.is_empty() || stop.iter().any(|&token| token as usize >= tokens.len()) {
            return Err("JSON takes a token that stops, and the model names none".into());
        }
        let mut mask = JsonMask { json: Json::new(), tokens, stop: stop.to_vec(), words: Vec::new() };
        mask.look()?;
        Ok(mask)
    }

    /// A bit for each token.
    #[must_use]
    pub fn words(&self) -> &[i32] {
        &self.words
    }

    /// Goes on with a token.
    ///
    /// # Errors
    /// One that may not come; a vocabulary in which nothing can follow it.
    pub fn push(&mut self, token: u32) -> Result<()> {
        let bytes = self.tokens.get(token as usize).filter(|bytes| !bytes.is_empty());
        let after = bytes.and_then(|bytes| self.json.after_all(bytes));
        self.json = after.ok_or_else(|| format!("token {token} does not go on with JSON"))?;
        self.look()
    }

    /// Which tokens may come now.
    fn look(&mut self) -> Result<()> {
        let mut words = vec![0_u32; self.tokens.len().div_ceil(32)];
        let mut allow = |token: usize| words[token / 32] |= 1 << (token % 32);
        if self.json.is_whole() {
            self.stop.iter().for_each(|&token| allow(token as usize));
        } else {
            for (token, bytes) in self.tokens.iter().enumerate() {
                if !bytes.is_empty() && self.json.after_all(bytes).is_some() {
                    allow(token);
                }
            }
        }
        if words.iter().all(|&word| word == 0) {
            return Err("no token of the model goes on with this JSON".into());
        }
        self.words = words.into_iter().map(u32::cast_signed).collect();
        Ok(())
    }
}
