//! Where the nodes of a picture lie: rows by depth, few crossings within them, short edges. Sugiyama's way.
//!
//! Every step is a pass over the rows, so time and memory grow as nodes and bends do. Not here: text, SVG (`picture`).

use super::nodes::Nodes;

/// The least space between two neighbours of a row.
const GAP: f64 = 16.0;
/// Long edges want to be straight more than boxes want to be in the middle.
const BEND_WEIGHT: f64 = 4.0;
const ORDER_SWEEPS: usize = 12;
const PLACE_SWEEPS: usize = 8;

/// The nodes of the graph, as many of them as it has, then the bends of its edges.
pub(super) struct Layout {
    pub(super) places: Vec<Place>,
    /// For each array the bends of its edge, one a row, from the row below its node on.
    pub(super) bends: Vec<Vec<usize>>,
    rows: Vec<Vec<usize>>,
}

/// A node or a bend.
#[derive(Default)]
pub(super) struct Place {
    pub(super) row: usize,
    /// Of the middle.
    pub(super) x: f64,
    pub(super) width: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

impl Place {
    /// The neighbours that a sweep has passed.
    fn behind(&self, turn: usize) -> &[usize] {
        if turn.is_multiple_of(2) { &self.above } else { &self.below }
    }
}

/// How many bends the graph's edges have, with `rows` from [`rows`].
pub(super) fn bend_count(graph: &Nodes<'_>, rows: &[usize]) -> usize {
    spans(graph, rows).iter().map(|(from, last)| last.saturating_sub(from + 1)).sum()
}

/// The row of each node: below all it needs; what comes from one leaf alone, as a broadcast scalar does, right above
/// what needs it first.
pub(super) fn rows(graph: &Nodes<'_>) -> Vec<usize> {
    let maker = makers(graph);
    let (mut rows, mut single) =
        (Vec::with_capacity(graph.nodes.len()), Vec::with_capacity(graph.nodes.len()));
    for node in &graph.nodes {
        let makers = || node.inputs.iter().map(|&array| maker[array]);
        rows.push(makers().map(|above| rows[above] + 1).max().unwrap_or(0));
        single.push(node.inputs.len() < 2 && makers().all(|above| single[above]));
    }
    let mut first_use = vec![None; graph.nodes.len()];
    for (i, node) in graph.nodes.iter().enumerate().rev() {
        if let (true, Some(row)) = (single[i], first_use[i]) {
            rows[i] = row - 1;
        }
        for &array in &node.inputs {
            let first = &mut first_use[maker[array]];
            *first = Some(first.map_or(rows[i], |row: usize| row.min(rows[i])));
        }
    }
    rows
}

/// The node that makes each array.
pub(super) fn makers(graph: &Nodes<'_>) -> Vec<usize> {
    let mut makers = vec![0; graph.names.len()];
    for (i, node) in graph.nodes.iter().enumerate() {
        node.outputs.iter().for_each(|&array| makers[array] = i);
    }
    makers
}

/// For each array its own row and the last row that uses it.
fn spans(graph: &Nodes<'_>, rows: &[usize]) -> Vec<(usize, usize)> {
    let mut spans: Vec<_> = makers(graph).iter().map(|&maker| (rows[maker], rows[maker])).collect();
    for (i, node) in graph.nodes.iter().enumerate() {
        for &array in &node.inputs {
            spans[array].1 = spans[array].1.max(rows[i]);
        }
    }
    spans
}

impl Layout {
    /// Lays out a graph whose nodes have these rows and widths.
    pub(super) fn new(graph: &Nodes<'_>, rows: &[usize], widths: &[f64]) -> Layout {
        let places = rows.iter().zip(widths).map(|(&row, &width)| Place { row, width, ..Place::default() });
        let mut layout = Layout { places: places.collect(), bends: Vec::new(), rows: Vec::new() };
        layout.join(graph, rows);
        layout.order();
        layout.place();
        layout
    }

    /// The number of rows.
    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    /// The places that the edge of `array` ends and begins at, around its use by `node`.
    pub(super) fn last_before(&self, array: usize, maker: usize, node: usize) -> usize {
        match self.places[node].row - self.places[maker].row {
            1 => maker,
            span => self.bends[array][span - 2],
        }
    }

    /// Makes the bends and tells each place its neighbours.
    fn join(&mut self, graph: &Nodes<'_>, rows: &[usize]) {
        let makers = makers(graph);
        for (array, (from, last)) in spans(graph, rows).into_iter().enumerate() {
            let mut bends = Vec::new();
            let mut above = makers[array];
            for row in from + 1..last {
                let bend = self.places.len();
                self.places.push(Place { row, above: vec![above], ..Place::default() });
                self.places[above].below.push(bend);
                bends.push(bend);
                above = bend;
            }
            self.bends.push(bends);
        }
        for (i, node) in graph.nodes.iter().enumerate() {
            for &array in &node.inputs {
                let above = self.last_before(array, makers[array], i);
                self.places[above].below.push(i);
                self.places[i].above.push(above);
            }
        }
        let height = self.places.iter().map(|place| place.row + 1).max().unwrap_or(0);
        self.rows = vec![Vec::new(); height];
        for (i, place) in self.places.iter().enumerate() {
            self.rows[place.row].push(i);
        }
    }

    /// The rows in the order of a sweep: from above, then from below.
    fn sweep(&self, turn: usize) -> impl Iterator<Item = usize> + use<> {
        let height = self.rows.len();
        (0..height).map(move |row| if turn.is_multiple_of(2) { row } else { height - 1 - row })
    }

    /// Sorts each row by the middle of its neighbours' positions; the order with the fewest crossings stays.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for turn in 0..ORDER_SWEEPS {
            let mut position = self.positions();
            for row in self.sweep(turn) {
                let key = |&i: &usize| {
                    let neighbours = self.places[i].behind(turn);
                    mean(neighbours.iter().map(|&n| position[n] as f64)).unwrap_or(position[i] as f64)
                };
                let mut keyed: Vec<(f64, usize)> = self.rows[row].iter().map(|i| (key(i), *i)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.rows[row] = keyed.into_iter().map(|(_, i)| i).collect();
                self.rows[row].iter().enumerate().for_each(|(at, &i)| position[i] = at);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    /// Each place's position in its row.
    fn positions(&self) -> Vec<usize> {
        let mut position = vec![0; self.places.len()];
        for row in &self.rows {
            row.iter().enumerate().for_each(|(at, &i)| position[i] = at);
        }
        position
    }

    /// How many pairs of edges cross: of edges in the order of their upper ends, those whose lower ends are not.
    fn crossings(&self) -> usize {
        let position = self.positions();
        let mut crossings = 0;
        for (r, row) in self.rows.iter().enumerate() {
            let mut lower = Counts(vec![0; self.rows.get(r + 1).map_or(0, Vec::len) + 1]);
            let mut edges = 0;
            for &i in row {
                let ends = || self.places[i].below.iter().map(|&n| position[n]);
                crossings += ends().map(|end| edges - lower.up_to(end)).sum::<usize>();
                ends().for_each(|end| lower.count(end));
                edges += ends().len();
            }
        }
        crossings
    }

    /// Moves each place under the middle of its neighbours, as far as the row's order allows.
    fn place(&mut self) {
        for row in 0..self.rows.len() {
            self.settle(row, |_, _| None);
        }
        for turn in 0..PLACE_SWEEPS {
            for row in self.sweep(turn) {
                self.settle(row, |places, i| mean(places[i].behind(turn).iter().map(|&n| places[n].x)));
            }
        }
        let left = self.places.iter().map(|place| place.x - place.width / 2.0).fold(f64::INFINITY, f64::min);
        self.places.iter_mut().for_each(|place| place.x -= left);
    }

    /// Puts a row's places as near to where they want to be as their widths allow: least squares with an order, which
    /// the pooling of neighbours that got into each other's way solves exactly.
    fn settle(&mut self, row: usize, wanted: impl Fn(&[Place], usize) -> Option<f64>) {
        struct Pool {
            weight: f64,
            sum: f64,
            count: usize,
        }
        let row = &self.rows[row];
        let mut pools: Vec<Pool> = Vec::new();
        let mut offsets = Vec::with_capacity(row.len());
        let mut offset = 0.0;
        for (at, &i) in row.iter().enumerate() {
            if let Some(&before) = at.checked_sub(1).and_then(|before| row.get(before)) {
                offset += GAP + f64::midpoint(self.places[before].width, self.places[i].width);
            }
            offsets.push(offset);
            let weight = if self.places[i].width == 0.0 { BEND_WEIGHT } else { 1.0 };
            let x = wanted(&self.places, i).unwrap_or(self.places[i].x);
            let mut pool = Pool { weight, sum: weight * (x - offset), count: 1 };
            while let Some(last) = pools.pop_if(|last| last.sum / last.weight > pool.sum / pool.weight) {
                pool.weight += last.weight;
                pool.sum += last.sum;
                pool.count += last.count;
            }
            pools.push(pool);
        }
        let middles = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.sum / pool.weight, pool.count));
        for ((&i, middle), offset) in row.iter().zip(middles).zip(offsets) {
            self.places[i].x = middle + offset;
        }
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = values.len();
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

/// How often each of some numbers was counted, as a binary indexed tree.
struct Counts(Vec<usize>);

impl Counts {
    fn count(&mut self, number: usize) {
        let mut at = number + 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// The counts of the numbers up to this one.
    fn up_to(&self, number: usize) -> usize {
        let (mut at, mut sum) = (number + 1, 0);
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}
