//! The real CMU Hotel sequence, where the data directory has it.

use std::path::Path;

use anchormatch_invariants::data::data_with;
use anchormatch_lab::datasets::DatasetError;
use anchormatch_lab::datasets::hotel::Hotel;

#[test]
fn its_absence_is_explained() {
    let error = Hotel::load(Path::new("nowhere")).expect_err("there is no such folder");
    assert!(matches!(error, DatasetError::Missing { .. }), "{error}");
    assert!(error.to_string().contains("cmu_hotel/points.csv"));
}

#[test]
fn the_real_sequence_is_the_published_one() {
    let Some(data) = data_with("cmu_hotel") else {
        return;
    };
    let hotel = Hotel::load(&data).expect("the sequence is sound");
    assert_eq!(hotel.frames(), 101);
    assert_eq!(hotel.points(0).row(0), &[164.0, 82.0]);
    assert_eq!(hotel.points(0).row(1), &[267.0, 117.0]);
    let mut fastest = 0.0f64;
    for frame in 0..hotel.frames() {
        let points = hotel.points(frame);
        assert_eq!((points.rows(), points.cols()), (30, 2));
        for i in 0..30 {
            let [x, y] = [points[(i, 0)], points[(i, 1)]];
            // Whole pixels of a 512 × 480 image; a few lie on its lower border.
            assert!(x.fract() == 0.0 && y.fract() == 0.0);
            assert!((0.0..512.0).contains(&x) && (0.0..=480.0).contains(&y));
            for j in 0..i {
                assert_ne!(points.row(i), points.row(j), "frame {frame}, {i} and {j}");
            }
            if frame > 0 {
                let before = hotel.points(frame - 1).row(i);
                fastest = fastest.max((x - before[0]).hypot(y - before[1]));
            }
        }
    }
    // The data set's own description: no landmark moves more than 9.2 pixels from frame to frame.
    assert!((9.15..9.25).contains(&fastest), "{fastest}");

    let instance = hotel.pair(20, 90, 1).expect("frames within the sequence");
    assert_eq!(instance.truth.len(), 30);
    let target = instance.target_positions.expect("a geometric instance");
    for (i, a) in instance.truth {
        assert_eq!(target.row(a), hotel.points(90).row(i));
    }
}
