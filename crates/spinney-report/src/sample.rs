//! Graphs or molecules that a page can show.

use spinney::Dataset;
use spinney::graph::Copies;
use spinney::model::occurrences::{covered, translated};
use spinney::representation::views::Views;
use spinney::{Model, model::attribution::Shares};
use spinney_chem::draw::highlighted_svg;
use spinney_chem::highlight::Highlights;
use spinney_chem::layout::whole_graph_svg;
use spinney_chem::{Chemistry, toolkit};

/// The patterns that occur in a graph, ascending, and how often.
pub(crate) type Held = Vec<(u32, u32)>;

/// Graphs, and what they were made from.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'s> {
    /// The graphs.
    pub data: &'s Dataset,
    /// Each molecule as SMILES; empty for graphs.
    pub structures: &'s [String],
    /// How molecules became graphs.
    pub chemistry: Option<&'s Chemistry>,
    /// What of a graph is copies of what it was made from.
    pub copies: Copies,
}

/// What of a graph is copies, for a model.
#[must_use]
pub fn copies(model: &Model) -> Copies {
    let of_molecules = || Chemistry::of_model(model).ok().flatten().map(|c| c.copies());
    Views::of_model(model).map(|views| views.copies()).or_else(of_molecules).unwrap_or_default()
}

impl Sample<'_> {
    /// What one of them is called.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        if self.chemistry.is_some() { "molecule" } else { "graph" }
    }

    /// Record `i` with the occurrences of a pattern highlighted; none if it cannot be drawn.
    #[must_use]
    pub fn with_pattern(&self, i: usize, model: &Model, pattern: usize) -> Option<String> {
        let graph = translated(&self.data.graphs()[i], self.data.labels(), model.labels());
        let cover = covered(&model.patterns()[pattern].code, &graph);
        let places = self.places(i)?;
        let place = |v: u32| places[v as usize % places.len()];
        let mut highlights = Highlights::default();
        let drawn = places.len() * self.copies.count;
        for (v, _) in cover.vertices.iter().take(drawn).enumerate().filter(|(_, marked)| **marked) {
            highlights.mark_vertex(place(v as u32));
        }
        for (edge, _) in graph.edges().iter().zip(&cover.edges).filter(|(_, marked)| **marked) {
            highlights.mark_edge(place(edge.u), place(edge.v));
        }
        self.svg(i, &highlights)
    }

    /// Record `i` with its parts coloured by their shares, which are divided by `largest`; none if
    /// it cannot be drawn.
    #[must_use]
    pub fn with_shares(&self, i: usize, shares: &Shares, largest: f64) -> Option<String> {
        let places = self.places(i)?;
        let mut highlights = Highlights::default();
        for (v, share) in shares.vertices.iter().enumerate() {
            highlights.weigh_vertex(places[v], share / largest);
        }
        for (edge, share) in self.data.graphs()[i].edges().iter().zip(&shares.edges) {
            highlights.weigh_edge(
                places[edge.u as usize],
                places[edge.v as usize],
                share / largest,
            );
        }
        self.svg(i, &highlights)
    }

    /// The atoms of a molecule's drawing that the vertices of one view of its graph stand for.
    fn places(&self, i: usize) -> Option<Vec<u32>> {
        let Some(chemistry) = self.chemistry else {
            return Some((0..self.size(i) as u32).collect());
        };
        Some(chemistry.atoms_of_vertices(&chemistry.molecule(self.structures.get(i)?).ok()?))
    }

    fn svg(&self, i: usize, highlights: &Highlights) -> Option<String> {
        if self.chemistry.is_some() {
            return highlighted_svg(self.structures.get(i)?, highlights).ok();
        }
        let graph = self.copies.first(&self.data.graphs()[i]);
        whole_graph_svg(&graph, self.data.labels(), highlights, &self.data.ids()[i])
    }

    /// The number of heavy atoms or vertices of record `i`, for choosing what is easily looked at.
    #[must_use]
    pub fn size(&self, i: usize) -> usize {
        self.copies.vertices(&self.data.graphs()[i])
    }

    /// Record `i` in words: the SMILES of a molecule.
    #[must_use]
    pub fn text(&self, i: usize) -> Option<&str> {
        self.structures.get(i).map(String::as_str).filter(|text| toolkit::from_smiles(text).is_ok())
    }
}
