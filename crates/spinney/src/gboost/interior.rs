//! The soft-margin LP over some stumps, by a primal-dual interior-point method.
//!
//! minimise β subject to Σ_i v_i y_i ω_j (2 I_ij − 1) ≤ β for every stump j, Σ v_i = N, 0 ≤ v_i ≤ 1/ν
//!
//! (Saigo et al. 2009, eq. 5, with v = N u.) The multipliers of its rows are the stumps' weights α of
//! the primal. Mehrotra's predictor and corrector; each step solves one positive system with as
//! many unknowns as there are stumps.
//!
//! **Invariant.** Weights of graphs and stumps stay positive, weights of graphs below 1/ν. The
//! weights lie *inside* the optimal face, not at a corner of it, which is why so few rounds of
//! column generation are needed (Gondzio, González-Brevis and Munari 2013); a simplex solver
//! (microlp) took 17 s, 36 s and 154 s for ν = .6, .5, .4 on the first fold of NCI1.
//!
//! **Cost.** A step: Σ over graphs of (stumps at the graph)², and stumps³/3. A stump is kept by
//! the graphs with its pattern or those without, whichever are fewer.

use super::cholesky::Cholesky;

/// A stump: says ω where a pattern occurs and −ω elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Stump {
    /// ω: +1 or −1.
    pub sign: f64,
    /// Positions of the training graphs that contain the pattern, ascending.
    pub positions: Vec<u32>,
}

/// Stumps of some graphs, by graph and by stump.
pub(super) struct Program<'p> {
    targets: &'p [f64],
    /// 1/ν.
    most: f64,
    /// For each stump, what it says on the graphs it does not list.
    elsewhere: Vec<f64>,
    /// For each stump, the graphs on which it says the opposite.
    listed: Vec<Vec<u32>>,
    /// For each graph, the stumps that list it, ascending.
    at: Vec<Vec<u32>>,
}

/// Where the method stands.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// v: weights of the graphs.
    pub(super) weights: Vec<f64>,
    /// α: weights of the stumps.
    pub(super) alphas: Vec<f64>,
    beta: f64,
    rho: f64,
    /// Slacks of the stumps' rows.
    slacks: Vec<f64>,
    /// Multipliers of v ≥ 0 and of v ≤ 1/ν.
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// A direction: the change of each part of a [`Point`].
struct Step {
    weights: Vec<f64>,
    alphas: Vec<f64>,
    beta: f64,
    rho: f64,
    slacks: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// What every product of a pair should become, less what a full first-order step would leave.
struct Aim {
    slacks: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

const MOST_STEPS: usize = 100;
/// So many steps may follow each other without coming closer.
const MOST_IN_VAIN: usize = 8;

impl<'p> Program<'p> {
    /// The program of graphs with `targets` (+1 or −1) and of `stumps`.
    pub(super) fn new<'s>(
        targets: &'p [f64],
        nu: f64,
        stumps: impl Iterator<Item = &'s Stump>,
    ) -> Self {
        let graphs = targets.len();
        let (mut elsewhere, mut listed) = (Vec::new(), Vec::new());
        let mut at = vec![Vec::new(); graphs];
        for (number, stump) in stumps.enumerate() {
            let by_presence = 2 * stump.positions.len() <= graphs;
            let list = if by_presence {
                stump.positions.clone()
            } else {
                without(&stump.positions, graphs as u32)
            };
            list.iter().for_each(|&g| at[g as usize].push(number as u32));
            elsewhere.push(if by_presence { -stump.sign } else { stump.sign });
            listed.push(list);
        }
        Program { targets, most: 1.0 / nu, elsewhere, listed, at }
    }

    fn stumps(&self) -> usize {
        self.listed.len()
    }

    /// Σ_i x_i h_j(i) for every stump j; `x` holds a number for each graph.
    fn over_graphs(&self, x: &[f64]) -> Vec<f64> {
        let all: f64 = x.iter().sum();
        let of = |(list, says): (&Vec<u32>, &f64)| {
            let listed: f64 = list.iter().map(|&g| x[g as usize]).sum();
            says * (all - 2.0 * listed)
        };
        self.listed.iter().zip(&self.elsewhere).map(of).collect()
    }

    /// Σ_j a_j h_j(i) for every graph i.
    pub(super) fn over_stumps(&self, a: &[f64]) -> Vec<f64> {
        let says: Vec<f64> = a.iter().zip(&self.elsewhere).map(|(a, says)| a * says).collect();
        let all: f64 = says.iter().sum();
        let listed = |at: &Vec<u32>| at.iter().map(|&j| says[j as usize]).sum::<f64>();
        self.at.iter().map(|at| all - 2.0 * listed(at)).collect()
    }

    /// The edges Σ_i v_i y_i h_j(i) of all stumps.
    fn edges(&self, weights: &[f64]) -> Vec<f64> {
        let signed: Vec<f64> = weights.iter().zip(self.targets).map(|(v, y)| v * y).collect();
        self.over_graphs(&signed)
    }

    /// y_i Σ_j a_j h_j(i): the margins.
    fn margins(&self, alphas: &[f64]) -> Vec<f64> {
        let scores = self.over_stumps(alphas);
        scores.iter().zip(self.targets).map(|(f, y)| f * y).collect()
    }

    /// v_i y_i, of weights that are made to sum up to N.
    pub(super) fn signed(&self, weights: &[f64]) -> Vec<f64> {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        weights.iter().zip(self.targets).map(|(v, y)| scale * v * y).collect()
    }

    /// The largest edge of a stump of the program.
    pub(super) fn largest_edge(&self, signed: &[f64]) -> f64 {
        self.over_graphs(signed).into_iter().fold(0.0, f64::max)
    }

    /// ρ − Σ ξ_i / (νN) with the best ρ for these weights, which are made to sum up to 1: a share
    /// ν of the graphs lies within the best margin.
    pub(super) fn objective(&self, alphas: &[f64]) -> f64 {
        let scale = 1.0 / alphas.iter().sum::<f64>();
        let mut margins: Vec<f64> = self.margins(alphas).iter().map(|m| m * scale).collect();
        margins.sort_unstable_by(f64::total_cmp);
        let graphs = margins.len() as f64;
        let inside = ((graphs / self.most) as usize).min(margins.len() - 1);
        let rho = margins[inside];
        let slack: f64 = margins[..inside].iter().map(|m| rho - m).sum();
        rho - slack * self.most / graphs
    }

    /// Solves up to a duality gap of `gap` times the number of graphs, or as far as rounding lets it:
    /// near a degenerate optimum the systems become singular and a step may lead away or nowhere,
    /// so the best point met is the answer.
    pub(super) fn solve(&self, gap: f64) -> Point {
        let mut point = self.start();
        let mut best = point.clone();
        let (mut least, mut in_vain) = (f64::INFINITY, 0);
        for _ in 0..MOST_STEPS {
            let distance = point.distance(self);
            if distance < least {
                (least, in_vain) = (distance, 0);
                best.clone_from(&point);
            } else {
                in_vain += 1;
            }
            if least <= gap * self.targets.len() as f64 || in_vain == MOST_IN_VAIN {
                break;
            }
            self.improve(&mut point);
            if !point.is_inside(self) {
                break;
            }
        }
        best
    }

    fn start(&self) -> Point {
        let graphs = self.targets.len();
        let weights = vec![1.0; graphs];
        let edges = self.edges(&weights);
        let beta = edges.iter().fold(0.0f64, |a, &b| a.max(b)) + 0.1 * graphs as f64;
        let slacks = edges.iter().map(|e| beta - e).collect();
        Point {
            weights,
            alphas: vec![1.0 / self.stumps() as f64; self.stumps()],
            beta,
            rho: 0.0,
            slacks,
            lower: vec![0.5; graphs],
            upper: vec![0.5; graphs],
        }
    }

    /// One step of predictor and corrector.
    fn improve(&self, point: &mut Point) {
        let system = System::new(self, point);
        let mean = point.mean_product(self);
        let affine = system.step(point, &point.aim(self, 0.0, None));
        let reached = point.moved(self, &affine, point.longest(self, &affine)).mean_product(self);
        let centre = mean * (reached / mean).powi(3);
        let step = system.step(point, &point.aim(self, centre, Some(&affine)));
        let length = (0.995 * point.longest(self, &step)).min(1.0);
        *point = point.moved(self, &step, length);
    }
}

/// The positions below `graphs` that are not listed.
fn without(positions: &[u32], graphs: u32) -> Vec<u32> {
    let mut listed = positions.iter().peekable();
    (0..graphs).filter(|g| listed.next_if_eq(&g).is_none()).collect()
}

impl Point {
    /// 1/ν − v.
    fn room<'a>(&'a self, program: &'a Program<'_>) -> impl Iterator<Item = f64> + 'a {
        self.weights.iter().map(|v| program.most - v)
    }

    /// Whether the invariant holds; a step that rounding spoiled may end in infinity or nowhere.
    fn is_inside(&self, program: &Program<'_>) -> bool {
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        let parts = [&self.weights, &self.alphas, &self.slacks, &self.lower, &self.upper];
        parts.iter().all(|part| part.iter().all(positive))
            && self.room(program).all(|room| room > 0.0)
            && self.beta.is_finite()
            && self.rho.is_finite()
    }

    /// The mean product of a pair that should be complementary.
    fn mean_product(&self, program: &Program<'_>) -> f64 {
        let pairs = self.slacks.len() + 2 * self.weights.len();
        self.products(program) / pairs as f64
    }

    fn products(&self, program: &Program<'_>) -> f64 {
        let rows: f64 = self.slacks.iter().zip(&self.alphas).map(|(w, a)| w * a).sum();
        let low: f64 = self.weights.iter().zip(&self.lower).map(|(v, z)| v * z).sum();
        let high: f64 = self.room(program).zip(&self.upper).map(|(q, t)| q * t).sum();
        rows + low + high
    }

    /// How far from optimal and feasible the point is: the gap, and the largest residual.
    fn distance(&self, program: &Program<'_>) -> f64 {
        let rows = self.row_residuals(program).iter().fold(0.0f64, |a, r| a.max(r.abs()));
        let graphs = self.weights.len() as f64;
        let dual = self.graph_residuals(program).iter().fold(0.0f64, |a, r| a.max(r.abs()));
        let sum = (self.weights.iter().sum::<f64>() - graphs).abs();
        self.products(program).max(rows).max(dual * graphs).max(sum)
    }

    /// Edges − β + slacks.
    fn row_residuals(&self, program: &Program<'_>) -> Vec<f64> {
        let edges = program.edges(&self.weights);
        edges.iter().zip(&self.slacks).map(|(e, w)| e - self.beta + w).collect()
    }

    /// Margins − ρ − lower + upper.
    fn graph_residuals(&self, program: &Program<'_>) -> Vec<f64> {
        let margins = program.margins(&self.alphas);
        let bounds = self.lower.iter().zip(&self.upper);
        margins.iter().zip(bounds).map(|(m, (z, t))| m - self.rho - z + t).collect()
    }

    /// What the products should become: `centre`, corrected by the products of an affine step.
    fn aim(&self, program: &Program<'_>, centre: f64, affine: Option<&Step>) -> Aim {
        let second = |a: &[f64], b: &[f64], sign: f64| -> Vec<f64> {
            a.iter().zip(b).map(|(x, y)| sign * x * y).collect()
        };
        let (rows, low, high) = match affine {
            Some(step) => (
                second(&step.slacks, &step.alphas, 1.0),
                second(&step.weights, &step.lower, 1.0),
                second(&step.weights, &step.upper, -1.0),
            ),
            None => (
                vec![0.0; self.slacks.len()],
                vec![0.0; self.weights.len()],
                vec![0.0; self.weights.len()],
            ),
        };
        let towards = |now: f64, second: f64| centre - now - second;
        let slacks = self.slacks.iter().zip(&self.alphas).zip(rows);
        let lower = self.weights.iter().zip(&self.lower).zip(low);
        let upper = self.room(program).zip(&self.upper).zip(high);
        Aim {
            slacks: slacks.map(|((w, a), s)| towards(w * a, s)).collect(),
            lower: lower.map(|((v, z), s)| towards(v * z, s)).collect(),
            upper: upper.map(|((q, t), s)| towards(q * t, s)).collect(),
        }
    }

    /// The longest part of a step that keeps everything positive; at most 1/0.995.
    fn longest(&self, program: &Program<'_>, step: &Step) -> f64 {
        let limit = |now: f64, change: f64| if change < 0.0 { -now / change } else { f64::MAX };
        let pairs = |now: &[f64], change: &[f64]| {
            now.iter().zip(change).map(|(&n, &c)| limit(n, c)).fold(f64::MAX, f64::min)
        };
        let high = self.room(program).zip(&step.weights);
        let high = high.map(|(q, &dv)| limit(q, -dv)).fold(f64::MAX, f64::min);
        [
            pairs(&self.slacks, &step.slacks),
            pairs(&self.alphas, &step.alphas),
            pairs(&self.weights, &step.weights),
            pairs(&self.lower, &step.lower),
            pairs(&self.upper, &step.upper),
            high,
        ]
        .into_iter()
        .fold(1.0 / 0.995, f64::min)
    }

    fn moved(&self, _program: &Program<'_>, step: &Step, length: f64) -> Point {
        let along = |now: &[f64], change: &[f64]| -> Vec<f64> {
            now.iter().zip(change).map(|(n, c)| n + length * c).collect()
        };
        Point {
            weights: along(&self.weights, &step.weights),
            alphas: along(&self.alphas, &step.alphas),
            beta: self.beta + length * step.beta,
            rho: self.rho + length * step.rho,
            slacks: along(&self.slacks, &step.slacks),
            lower: along(&self.lower, &step.lower),
            upper: along(&self.upper, &step.upper),
        }
    }
}

/// The linear system of a point, factored: what all steps from it share.
struct System<'a, 'p> {
    program: &'a Program<'p>,
    factor: Cholesky,
    /// 1/(lower/v + upper/room) for each graph.
    give: Vec<f64>,
    /// y_i · give_i summed over the stumps' answers, and its solution.
    tilt: Vec<f64>,
    by_tilt: Vec<f64>,
    by_ones: Vec<f64>,
    row_residuals: Vec<f64>,
    graph_residuals: Vec<f64>,
}

impl<'a, 'p> System<'a, 'p> {
    fn new(program: &'a Program<'p>, point: &Point) -> Self {
        let bounds = point.lower.iter().zip(&point.upper);
        let give: Vec<f64> = point
            .weights
            .iter()
            .zip(bounds)
            .map(|(v, (z, t))| 1.0 / (z / v + t / (program.most - v)))
            .collect();
        let mut rows = program.products(&give);
        for (j, row) in rows.iter_mut().enumerate() {
            row[j] += point.slacks[j] / point.alphas[j];
        }
        let factor = Cholesky::new(rows);
        let tilt = program.edges(&give);
        System {
            by_tilt: factor.solve(&tilt),
            by_ones: factor.solve(&vec![1.0; program.stumps()]),
            row_residuals: point.row_residuals(program),
            graph_residuals: point.graph_residuals(program),
            program,
            factor,
            give,
            tilt,
        }
    }

    /// The Newton step towards products as `aim` says.
    fn step(&self, point: &Point, aim: &Aim) -> Step {
        let program = self.program;
        let room: Vec<f64> = point.room(program).collect();
        let g: Vec<f64> = (0..self.give.len())
            .map(|i| {
                aim.lower[i] / point.weights[i] - aim.upper[i] / room[i] - self.graph_residuals[i]
            })
            .collect();
        let given: Vec<f64> = g.iter().zip(&self.give).map(|(g, d)| g * d).collect();
        let right: Vec<f64> = program
            .edges(&given)
            .iter()
            .enumerate()
            .map(|(j, e)| e + self.row_residuals[j] + aim.slacks[j] / point.alphas[j])
            .collect();
        let by_right = self.factor.solve(&right);
        let (rho, beta) = self.scalars(point, &by_right, given.iter().sum());
        let alphas: Vec<f64> = (0..by_right.len())
            .map(|j| by_right[j] + self.by_tilt[j] * rho - self.by_ones[j] * beta)
            .collect();
        let margins = program.margins(&alphas);
        let weights: Vec<f64> =
            (0..g.len()).map(|i| self.give[i] * (g[i] - margins[i] + rho)).collect();
        let lower = (0..g.len())
            .map(|i| (aim.lower[i] - point.lower[i] * weights[i]) / point.weights[i])
            .collect();
        let upper =
            (0..g.len()).map(|i| (aim.upper[i] + point.upper[i] * weights[i]) / room[i]).collect();
        let slacks = (0..alphas.len())
            .map(|j| (aim.slacks[j] - point.slacks[j] * alphas[j]) / point.alphas[j])
            .collect();
        Step { weights, alphas, beta, rho, slacks, lower, upper }
    }

    /// The changes of ρ and β, from Σ v = N and Σ α = 1.
    fn scalars(&self, point: &Point, by_right: &[f64], given: f64) -> (f64, f64) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let sum = |a: &[f64]| a.iter().sum::<f64>();
        // given − tilt·Δα + (Σ give) Δρ = N − Σ v  and  Σ Δα = 1 − Σ α.
        let missing = self.give.len() as f64 - sum(&point.weights) - given;
        let a = sum(&self.give) - dot(&self.tilt, &self.by_tilt);
        let b = dot(&self.tilt, &self.by_ones);
        let first = missing + dot(&self.tilt, by_right);
        let (c, d) = (sum(&self.by_tilt), sum(&self.by_ones));
        let second = 1.0 - sum(&point.alphas) - sum(by_right);
        // a Δρ + b Δβ = first;  c Δρ − d Δβ = second.
        let determinant = -a * d - b * c;
        ((-d * first - b * second) / determinant, (a * second - c * first) / determinant)
    }
}

impl Program<'_> {
    /// The lower triangle of Σ_i d_i h_j(i) h_k(i).
    fn products(&self, d: &[f64]) -> Vec<Vec<f64>> {
        let all: f64 = d.iter().sum();
        let mut rows: Vec<Vec<f64>> = (0..self.stumps()).map(|j| vec![0.0; j + 1]).collect();
        for (at, &d) in self.at.iter().zip(d) {
            for (count, &j) in at.iter().enumerate() {
                let row = &mut rows[j as usize];
                at[..=count].iter().for_each(|&k| row[k as usize] += d);
            }
        }
        let listed: Vec<f64> = (0..self.stumps()).map(|j| rows[j][j]).collect();
        for (j, row) in rows.iter_mut().enumerate() {
            for (k, both) in row.iter_mut().enumerate() {
                let signs = self.elsewhere[j] * self.elsewhere[k];
                *both = signs * (all - 2.0 * (listed[j] + listed[k]) + 4.0 * *both);
            }
        }
        rows
    }
}
