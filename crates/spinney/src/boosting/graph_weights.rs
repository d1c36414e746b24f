//! How much each training graph counts.

use crate::boosting::loss::Loss;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::params::{ClassWeight, FixedParams};

/// A weight for each training position: the data's own times that of its class.
pub(crate) fn graph_weights(
    data: &Dataset,
    params: &FixedParams,
    loss: &Loss,
    train: &[u32],
) -> Result<Vec<f64>> {
    let own = |g: u32| data.weights().map_or(1.0, |w| w[g as usize]);
    let mut weights: Vec<f64> = train.iter().map(|&g| own(g)).collect();
    if weights.iter().sum::<f64>() <= 0.0 {
        return Err(Error::data("all training graphs have weight zero"));
    }
    let classes = loss.task().classes().len();
    if classes == 0 {
        return match params.class_weight {
            ClassWeight::None => Ok(weights),
            ClassWeight::Balanced => {
                Err(Error::parameter("class_weight", "balanced needs classes, not numbers"))
            }
        };
    }
    let mut totals = vec![0.0; classes];
    for (&g, w) in train.iter().zip(&weights) {
        totals[loss.targets()[g as usize] as usize] += w;
    }
    if totals.iter().filter(|&&t| t > 0.0).count() < 2 {
        return Err(Error::data("the training graphs are all of one class: nothing to learn"));
    }
    if params.class_weight == ClassWeight::Balanced {
        let all: f64 = totals.iter().sum();
        let present = totals.iter().filter(|&&t| t > 0.0).count() as f64;
        for (&g, w) in train.iter().zip(&mut weights) {
            *w *= all / (present * totals[loss.targets()[g as usize] as usize]);
        }
    }
    Ok(weights)
}
