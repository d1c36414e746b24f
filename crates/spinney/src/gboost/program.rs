//! The stumps of the soft-margin LP as a matrix, by graph and by stump.
//!
//! A stump is kept by the graphs with its pattern or those without, whichever are fewer.

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
    pub(super) targets: &'p [f64],
    /// 1/ν.
    pub(super) max_weight: f64,
    /// For each stump, what it says on the graphs it does not list.
    elsewhere: Vec<f64>,
    /// For each stump, the graphs on which it says the opposite.
    listed: Vec<Vec<u32>>,
    /// For each graph, the stumps that list it, ascending.
    at: Vec<Vec<u32>>,
}

impl<'p> Program<'p> {
    /// The program of graphs with `targets` (+1 or −1) and of `stumps`.
    pub(super) fn new<'s>(
        targets: &'p [f64],
        nu: f64,
        stumps: impl Iterator<Item = &'s Stump>,
    ) -> Self {
        let graphs = targets.len();
        let mut elsewhere = Vec::new();
        let mut listed = Vec::new();
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
        Program { targets, max_weight: 1.0 / nu, elsewhere, listed, at }
    }

    pub(super) fn stumps(&self) -> usize {
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
    pub(super) fn edges(&self, weights: &[f64]) -> Vec<f64> {
        let signed: Vec<f64> = weights.iter().zip(self.targets).map(|(v, y)| v * y).collect();
        self.over_graphs(&signed)
    }

    /// y_i Σ_j a_j h_j(i): the margins.
    pub(super) fn margins(&self, alphas: &[f64]) -> Vec<f64> {
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
        let inside = ((graphs / self.max_weight) as usize).min(margins.len() - 1);
        let rho = margins[inside];
        let slack: f64 = margins[..inside].iter().map(|m| rho - m).sum();
        rho - slack * self.max_weight / graphs
    }

    /// The lower triangle of Σ_i d_i h_j(i) h_k(i).
    pub(super) fn products(&self, d: &[f64]) -> Vec<Vec<f64>> {
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

/// The positions below `graphs` that are not listed.
fn without(positions: &[u32], graphs: u32) -> Vec<u32> {
    let mut listed = positions.iter().peekable();
    (0..graphs).filter(|g| listed.next_if_eq(&g).is_none()).collect()
}
