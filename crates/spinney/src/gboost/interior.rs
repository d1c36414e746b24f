//! The soft-margin LP over some stumps, by a primal-dual interior-point method.
//!
//! minimise β subject to Σ_i v_i y_i ω_j (2 I_ij − 1) ≤ β for every stump j, Σ v_i = N and
//! 0 ≤ v_i ≤ 1/ν
//!
//! (Saigo et al. 2009, eq. 5, with v = N u.) The multipliers of its rows are the stumps' weights α
//! of the primal. Mehrotra's predictor and corrector; each step solves one positive system with as
//! many unknowns as there are stumps.
//!
//! **Invariant.** Weights of graphs and stumps stay positive, weights of graphs below 1/ν. The
//! weights lie *inside* the optimal face, not at a corner of it, which is why so few rounds of
//! column generation are needed (Gondzio, González-Brevis and Munari 2013); a simplex solver
//! (microlp) took 17 s, 36 s and 154 s for ν = .6, .5, .4 on the first fold of NCI1.
//!
//! **Cost.** A step: Σ over graphs of (stumps at the graph)², and stumps³/3.

use super::cholesky::Cholesky;
use super::program::Program;

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

const MAX_STEPS: usize = 100;
/// The most steps that may follow each other without coming closer.
const MAX_STEPS_IN_VAIN: usize = 8;

impl Program<'_> {
    /// Solves up to a duality gap of `gap` times the number of graphs, or as far as rounding lets
    /// it: near a degenerate optimum the systems become singular and a step may lead away or
    /// nowhere, so the best point met is the answer.
    pub(super) fn solve(&self, gap: f64) -> Point {
        let mut point = self.start();
        let mut best = point.clone();
        let mut nearest = f64::INFINITY;
        let mut in_vain = 0;
        for _ in 0..MAX_STEPS {
            let distance = point.distance(self);
            if distance < nearest {
                nearest = distance;
                in_vain = 0;
                best.clone_from(&point);
            } else {
                in_vain += 1;
            }
            if nearest <= gap * self.targets.len() as f64 || in_vain == MAX_STEPS_IN_VAIN {
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

impl Point {
    /// 1/ν − v.
    fn headroom<'a>(&'a self, program: &'a Program<'_>) -> impl Iterator<Item = f64> + 'a {
        self.weights.iter().map(|v| program.max_weight - v)
    }

    /// Whether the invariant holds; a step that rounding spoiled may end in infinity or nowhere.
    fn is_inside(&self, program: &Program<'_>) -> bool {
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        let parts = [&self.weights, &self.alphas, &self.slacks, &self.lower, &self.upper];
        parts.iter().all(|part| part.iter().all(positive))
            && self.headroom(program).all(|left| left > 0.0)
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
        let high: f64 = self.headroom(program).zip(&self.upper).map(|(q, t)| q * t).sum();
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
        let correction = match affine {
            Some(step) => Aim {
                slacks: second(&step.slacks, &step.alphas, 1.0),
                lower: second(&step.weights, &step.lower, 1.0),
                upper: second(&step.weights, &step.upper, -1.0),
            },
            None => Aim {
                slacks: vec![0.0; self.slacks.len()],
                lower: vec![0.0; self.weights.len()],
                upper: vec![0.0; self.weights.len()],
            },
        };
        let towards = |now: f64, second: f64| centre - now - second;
        let slacks = self.slacks.iter().zip(&self.alphas).zip(correction.slacks);
        let lower = self.weights.iter().zip(&self.lower).zip(correction.lower);
        let upper = self.headroom(program).zip(&self.upper).zip(correction.upper);
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
        let high = self.headroom(program).zip(&step.weights);
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
    /// 1/(lower/v + upper/(1/ν − v)) for each graph.
    give: Vec<f64>,
    /// y_i · give_i summed over the stumps' answers, and its solution.
    tilt: Vec<f64>,
    by_tilt: Vec<f64>,
    by_ones: Vec<f64>,
    row_residuals: Vec<f64>,
    graph_residuals: Vec<f64>,
}

/// The changes of ρ and β.
struct Scalars {
    rho: f64,
    beta: f64,
}

impl<'a, 'p> System<'a, 'p> {
    fn new(program: &'a Program<'p>, point: &Point) -> Self {
        let bounds = point.lower.iter().zip(&point.upper);
        let give: Vec<f64> = point
            .weights
            .iter()
            .zip(bounds)
            .map(|(v, (z, t))| 1.0 / (z / v + t / (program.max_weight - v)))
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
        let headroom: Vec<f64> = point.headroom(program).collect();
        let g: Vec<f64> = (0..self.give.len())
            .map(|i| {
                aim.lower[i] / point.weights[i]
                    - aim.upper[i] / headroom[i]
                    - self.graph_residuals[i]
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
        let Scalars { rho, beta } = self.scalars(point, &by_right, given.iter().sum());
        let alphas: Vec<f64> = (0..by_right.len())
            .map(|j| by_right[j] + self.by_tilt[j] * rho - self.by_ones[j] * beta)
            .collect();
        let margins = program.margins(&alphas);
        let weights: Vec<f64> =
            (0..g.len()).map(|i| self.give[i] * (g[i] - margins[i] + rho)).collect();
        let lower = (0..g.len())
            .map(|i| (aim.lower[i] - point.lower[i] * weights[i]) / point.weights[i])
            .collect();
        let upper = (0..g.len())
            .map(|i| (aim.upper[i] + point.upper[i] * weights[i]) / headroom[i])
            .collect();
        let slacks = (0..alphas.len())
            .map(|j| (aim.slacks[j] - point.slacks[j] * alphas[j]) / point.alphas[j])
            .collect();
        Step { weights, alphas, beta, rho, slacks, lower, upper }
    }

    /// The changes of ρ and β, from Σ v = N and Σ α = 1.
    fn scalars(&self, point: &Point, by_right: &[f64], given: f64) -> Scalars {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let sum = |a: &[f64]| a.iter().sum::<f64>();
        // given − tilt·Δα + (Σ give) Δρ = N − Σ v  and  Σ Δα = 1 − Σ α.
        let missing = self.give.len() as f64 - sum(&point.weights) - given;
        let a = sum(&self.give) - dot(&self.tilt, &self.by_tilt);
        let b = dot(&self.tilt, &self.by_ones);
        let first = missing + dot(&self.tilt, by_right);
        let c = sum(&self.by_tilt);
        let d = sum(&self.by_ones);
        let second = 1.0 - sum(&point.alphas) - sum(by_right);
        // a Δρ + b Δβ = first;  c Δρ − d Δβ = second.
        let determinant = -a * d - b * c;
        Scalars {
            rho: (-d * first - b * second) / determinant,
            beta: (a * second - c * first) / determinant,
        }
    }
}
