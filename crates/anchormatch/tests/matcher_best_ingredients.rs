//! The presets best and fast without some of their ingredients.
#![allow(clippy::unwrap_used)]

mod planted;

use anchormatch::matcher::{Best, Ingredients};
use planted::{Kind, Planted};

#[test]
fn every_ingredient_can_be_left_out() {
    let planted = Planted::new(Kind::Complete, 14, [1, 2], 0.02, 9);
    let all = Ingredients::default();
    for ingredients in [
        Ingredients {
            folded_anchors: false,
            ..all
        },
        Ingredients {
            root_lengths: false,
            ..all
        },
        Ingredients {
            mean_field: false,
            ..all
        },
        Ingredients {
            search: false,
            ..all
        },
        Ingredients {
            fitted_scales: false,
            ..all
        },
        Ingredients {
            outliers: false,
            ..all
        },
    ] {
        for preset in [Best::default(), Best::fast()] {
            let preset = preset.with_ingredients(ingredients);
            let right = planted.right(&planted.run(&preset, &[0, 5]));
            assert!(right >= 10, "{ingredients:?}: {right} of 14");
        }
    }
}
