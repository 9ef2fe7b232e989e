//! Just enough of Rust's lexer to tell code from comments and literals.

/// `text` with the contents of comments, strings and characters turned into blanks; lines stay where they are.
pub(super) fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let hidden = comment(rest).or_else(|| literal(rest, code.chars().next_back()));
        let length = hidden.unwrap_or(first.len_utf8());
        let (token, after) = rest.split_at(length);
        if hidden.is_some() {
            code.extend(token.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        } else {
            code.push_str(token);
        }
        rest = after;
    }
    code
}

/// The length of the comment that `text` starts with.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    Some(at)
}

/// The length of the string or character that `text` starts with, `before` being what stands before it.
fn literal(text: &str, before: Option<char>) -> Option<usize> {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if let Some(raw) = text.strip_prefix('r').filter(|_| !in_word || before == Some('b')) {
        let hashes = raw.bytes().take_while(|&byte| byte == b'#').count();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = 1 + hashes + 1;
            return Some(text[start..].find(&end).map_or(text.len(), |i| start + i + end.len()));
        }
    }
    if text.starts_with('"') {
        return Some(quoted(text, '"'));
    }
    // A quote that no quote follows in time is a lifetime.
    let mut characters = text.strip_prefix('\'')?.chars();
    match (characters.next()?, characters.next()?) {
        ('\\', _) => Some(quoted(text, '\'')),
        (c, '\'') => Some(1 + c.len_utf8() + 1),
        _ => None,
    }
}

/// The length of a literal up to the closing quote that is not escaped.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return i + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &str) {
        let found = code_of(text);
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), code, "{text}");
        assert_eq!(found.lines().count(), text.lines().count());
    }

    #[test]
    fn comments_and_literals_are_hidden() {
        check("a // unsafe\nb", "a b");
        check("a /* unsafe /* x */ y\n */ b", "a b");
        check(r#"f("a \" unsafe", b"x", 'c', '\'', '"') + g"#, "f( , b , , , ) + g");
        check("r#\"un\"safe\"# + x r\"\\\" + y", "+ x + y");
    }

    #[test]
    fn lifetimes_and_names_stay() {
        check("fn f<'a>(x: &'a str, for_r: u8) {}", "fn f<'a>(x: &'a str, for_r: u8) {}");
    }
}
