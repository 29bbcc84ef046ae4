//! The house itself: 51 landmarks and the lines between them.
//!
//! x points right, y up and z towards a viewer at the front; a unit is about a metre, the ground is
//! y = 0. Nothing is centred: the door, the dormer and the chimney stand to one side, the ridge lies
//! behind the middle, and the back wall is lower than the front one. So no rotation or reflection
//! maps the landmarks onto themselves. The feet of the chimney and the dormer lie on the roof.

/// A named point of the house.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Landmark {
    /// What a person would call it.
    pub name: &'static str,
    /// x (right), y (up), z (towards the front).
    pub position: [f64; 3],
}

const fn landmark(name: &'static str, position: [f64; 3]) -> Landmark {
    Landmark { name, position }
}

pub(super) static LANDMARKS: [Landmark; 51] = [
    landmark("wall base front left", [-4.0, 0.0, 3.0]),
    landmark("wall base front right", [4.2, 0.0, 3.0]),
    landmark("wall base back right", [4.2, 0.0, -3.1]),
    landmark("wall base back left", [-4.0, 0.0, -3.1]),
    landmark("wall top front left", [-4.0, 4.4, 3.0]),
    landmark("wall top front right", [4.2, 4.4, 3.0]),
    landmark("wall top back right", [4.2, 4.1, -3.1]),
    landmark("wall top back left", [-4.0, 4.1, -3.1]),
    landmark("eave front left", [-4.6, 3.82, 3.65]),
    landmark("eave front right", [4.75, 3.82, 3.65]),
    landmark("eave back right", [4.75, 3.46, -3.6]),
    landmark("eave back left", [-4.6, 3.46, -3.6]),
    landmark("ridge left", [-4.6, 7.5, -0.45]),
    landmark("ridge right", [4.75, 7.5, -0.45]),
    landmark("door bottom left", [0.55, 0.5, 3.0]),
    landmark("door bottom right", [1.95, 0.5, 3.0]),
    landmark("door top right", [1.95, 2.85, 3.0]),
    landmark("door top left", [0.55, 2.85, 3.0]),
    landmark("door knob", [1.7, 1.55, 3.12]),
    landmark("step upper left", [0.3, 0.5, 3.7]),
    landmark("step upper right", [2.2, 0.5, 3.7]),
    landmark("step lower left", [0.0, 0.22, 4.4]),
    landmark("step lower right", [2.5, 0.22, 4.4]),
    landmark("parlour window bottom left", [-3.3, 1.3, 3.0]),
    landmark("parlour window bottom right", [-1.0, 1.3, 3.0]),
    landmark("parlour window top right", [-1.0, 3.3, 3.0]),
    landmark("parlour window top left", [-3.3, 3.3, 3.0]),
    landmark("parlour window crossbar", [-2.15, 2.4, 3.0]),
    landmark("hall window bottom left", [2.65, 1.75, 3.0]),
    landmark("hall window bottom right", [3.65, 1.75, 3.0]),
    landmark("hall window top right", [3.65, 3.05, 3.0]),
    landmark("hall window top left", [2.65, 3.05, 3.0]),
    landmark("side window bottom back", [-4.0, 1.6, -1.55]),
    landmark("side window bottom front", [-4.0, 1.6, 0.85]),
    landmark("side window top front", [-4.0, 3.05, 0.85]),
    landmark("side window top back", [-4.0, 3.05, -1.55]),
    landmark("chimney bottom front left", [2.2, 6.86, -0.95]),
    landmark("chimney bottom front right", [3.5, 6.86, -0.95]),
    landmark("chimney bottom back right", [3.5, 5.77, -1.8]),
    landmark("chimney bottom back left", [2.2, 5.77, -1.8]),
    landmark("chimney top front left", [2.2, 8.6, -0.95]),
    landmark("chimney top front right", [3.5, 8.6, -0.95]),
    landmark("chimney top back right", [3.5, 8.6, -1.8]),
    landmark("chimney top back left", [2.2, 8.6, -1.8]),
    landmark("dormer bottom left", [-2.5, 4.98, 2.35]),
    landmark("dormer bottom right", [-0.5, 4.98, 2.35]),
    landmark("dormer top right", [-0.5, 6.03, 2.35]),
    landmark("dormer top left", [-2.5, 6.03, 2.35]),
    landmark("dormer peak", [-1.5, 6.83, 2.35]),
    landmark("dormer ridge end", [-1.5, 6.83, 0.3]),
    landmark("porch lamp", [0.25, 2.6, 3.35]),
];

// By parts of the house: one edge a line would be three pages.
#[rustfmt::skip]
pub(super) static WIREFRAME: [(usize, usize); 66] = [
    // walls
    (0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4),
    (0, 4), (1, 5), (2, 6), (3, 7),
    // roof
    (8, 9), (9, 13), (13, 12), (12, 8), (11, 10), (10, 13), (11, 12),
    // door and steps
    (14, 15), (15, 16), (16, 17), (17, 14), (19, 20), (20, 22), (22, 21), (21, 19),
    (14, 19), (15, 20),
    // parlour window
    (23, 24), (24, 25), (25, 26), (26, 23), (23, 27), (27, 25), (24, 27), (27, 26),
    // hall window
    (28, 29), (29, 30), (30, 31), (31, 28),
    // side window
    (32, 33), (33, 34), (34, 35), (35, 32),
    // chimney
    (36, 37), (37, 38), (38, 39), (39, 36), (40, 41), (41, 42), (42, 43), (43, 40),
    (36, 40), (37, 41), (38, 42), (39, 43),
    // dormer
    (44, 45), (45, 46), (46, 48), (48, 47), (47, 44), (47, 46), (48, 49), (47, 49),
    (46, 49),
];
