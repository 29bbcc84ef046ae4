//! Where nodes lie, gathered from node attributes that some nodes may lack.

use anchormatch::linalg::Matrix;

/// The positions when every node has x and y; what is left aside is noted.
pub(super) fn gathered(places: &[[Option<f64>; 3]], notes: &mut Vec<String>) -> Option<Matrix> {
    let has = |axis: usize| places.iter().filter(|p| p[axis].is_some()).count();
    let counts = [has(0), has(1), has(2)];
    let all = places.len();
    if counts[0] < all || counts[1] < all {
        if counts[0] > 0 && counts[1] > 0 {
            notes.push("positions were left aside: not every node has x and y".to_owned());
        }
        return None;
    }
    let dimensions = if counts[2] == all { 3 } else { 2 };
    if dimensions == 2 && counts[2] > 0 {
        notes.push("z was left aside: not every node has it".to_owned());
    }
    Some(Matrix::from_fn(all, dimensions, |i, axis| {
        places[i][axis].unwrap_or_default()
    }))
}

/// A coordinate; positions are a bonus, so a bad one is only missing.
pub(super) fn coordinate(text: &str) -> Option<f64> {
    let value = text.trim_ascii().parse::<f64>().ok()?;
    value.is_finite().then_some(value)
}
