//! Many cases at once: both workers have the next requests before their answers are read, so neither waits.
//!
//! Not here: a case by itself (`driver`), the verdict (`judge`).

use super::{
    blas::Shim,
    case::Case,
    judge::{Answer, Judge, Verdict},
    side::Side,
};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// A side, and what it has not answered yet.
struct Lane {
    side: Side,
    pending: VecDeque<Value>,
}

impl Lane {
    fn submit(&mut self, request: Value) -> Result<(), String> {
        self.side.queue(&request)?;
        self.pending.push_back(request);
        Ok(())
    }

    /// The answer to the oldest request. Those behind one that ended the worker go to the next worker.
    fn answer(&mut self, limit: Duration) -> Result<Answer, String> {
        let reply = self.side.receive(Instant::now() + limit)?;
        self.pending.pop_front();
        if reply.as_ref().map_or(true, |reply| reply["last"] == true) {
            for request in &self.pending {
                self.side.queue(request)?;
            }
        }
        Ok(reply.map_or_else(Answer::Lost, Answer::from_reply))
    }
}

/// Both sides at work.
pub(crate) struct Pipeline {
    python: Lane,
    rust: Lane,
    cases: VecDeque<Case>,
    limit: Duration,
    judge: Judge,
    raised: u64,
    /// Only Python runs the cases: to try cases, not the library.
    python_alone: bool,
    /// What Python alone said last when it refused.
    pub(crate) said: String,
    _shim: Option<Shim>,
}

impl Pipeline {
    /// Two idle sides.
    pub(crate) fn new(
        python: Side,
        rust: Side,
        limit: Duration,
        judge: Judge,
        shim: Option<Shim>,
    ) -> Pipeline {
        let lane = |side| Lane { side, pending: VecDeque::new() };
        Pipeline {
            python: lane(python),
            rust: lane(rust),
            cases: VecDeque::new(),
            limit,
            judge,
            raised: 0,
            python_alone: false,
            said: String::new(),
            _shim: shim,
        }
    }

    /// From now on only Python runs the cases.
    pub(crate) fn python_alone(&mut self) {
        self.python_alone = true;
    }

    /// Hands a case, whose inputs are written out, to both sides.
    pub(crate) fn submit(&mut self, case: Case) -> Result<(), String> {
        let request = json!({"case": case.body, "dir": case.folder, "graph": case.compare.graph});
        if !self.python_alone {
            self.rust.submit(request.clone())?;
        }
        self.python.submit(request)?;
        self.cases.push_back(case);
        Ok(())
    }

    /// The oldest case with its verdict.
    pub(crate) fn next(&mut self) -> Result<Option<(Case, Verdict)>, String> {
        let Some(case) = self.cases.pop_front() else { return Ok(None) };
        if self.python_alone {
            let verdict = match self.python.answer(self.limit)? {
                Answer::IllFormed(why) => Verdict::Failed(format!("ill-formed: {why}")),
                Answer::Lost(why) => Verdict::Failed(format!("Python: {why}")),
                Answer::Error { message, .. } => {
                    self.raised += 1;
                    self.said = message;
                    Verdict::Skipped
                }
                Answer::Outputs { .. } => Verdict::Passed,
            };
            return Ok(Some((case, verdict)));
        }
        let rust = self.rust.answer(self.limit)?;
        let python = self.python.answer(self.limit)?;
        self.raised += u64::from(matches!((&python, &rust), (Answer::Error { .. }, Answer::Error { .. })));
        let verdict = (self.judge)(&case, Some(python), rust);
        Ok(Some((case, verdict)))
    }

    /// A case by itself; none may be under way.
    pub(crate) fn one(&mut self, case: Case) -> Result<Verdict, String> {
        self.submit(case)?;
        Ok(self.next()?.expect("submitted above").1)
    }

    /// How many cases have ended with an error on both sides.
    pub(crate) fn raised(&self) -> u64 {
        self.raised
    }

    /// How many cases are under way.
    pub(crate) fn under_way(&self) -> usize {
        self.cases.len()
    }
}
