//! Which trials of a batch end a process: the fewest that do.

/// A shortest part of `items`, in their order, for which `fails` still holds; it holds for all of them.
///
/// Parts are tried alone and left out, halves first, then smaller ones, until no single item can be left out.
pub(super) fn fewest<T: Clone>(
    mut items: Vec<T>,
    mut fails: impl FnMut(&[T]) -> Result<bool, String>,
) -> Result<Vec<T>, String> {
    let mut parts = 2;
    while items.len() > 1 {
        let size = items.len().div_ceil(parts);
        let mut next = None;
        for start in (0..items.len()).step_by(size) {
            let end = (start + size).min(items.len());
            if fails(&items[start..end])? {
                next = Some((items[start..end].to_vec(), 2));
                break;
            }
            let rest = [&items[..start], &items[end..]].concat();
            if parts > 2 && fails(&rest)? {
                next = Some((rest, parts - 1));
                break;
            }
        }
        match next {
            Some((fewer, into)) => (items, parts) = (fewer, into),
            None if size == 1 => break,
            None => parts = (parts * 2).min(items.len()),
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found among 0..count, and in how many runs, where `culprits` end the process together.
    fn search(count: u32, culprits: &[u32]) -> (Vec<u32>, usize) {
        let mut runs = 0;
        let found = fewest((0..count).collect(), |part| {
            runs += 1;
            Ok(culprits.iter().all(|culprit| part.contains(culprit)))
        });
        (found.expect("no run is refused"), runs)
    }

    #[test]
    fn one_culprit_is_found_by_halves() {
        for culprit in [0, 1, 499, 500, 998, 999] {
            let (found, runs) = search(1000, &[culprit]);
            assert_eq!(found, [culprit]);
            assert!(runs <= 20, "{runs} runs");
        }
    }

    #[test]
    fn several_that_kill_together_are_found_in_order() {
        for culprits in [&[0, 99][..], &[49, 50], &[3, 50, 97], &[0, 1, 2, 3]] {
            assert_eq!(search(100, culprits).0, culprits);
        }
        assert_eq!(search(1, &[0]).0, [0]);
    }

    #[test]
    fn a_run_that_cannot_be_made_ends_the_search() {
        assert_eq!(fewest(vec![1, 2], |_| Err("no".into())), Err("no".into()));
    }
}
