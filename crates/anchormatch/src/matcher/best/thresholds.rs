//! Every number that chooses a path through `best`, with its unit and what shows its effect.
//!
//! Each was set by hand where the runs of the command beside it stopped changing. Where that command names one data set,
//! it is the set on which the number was found, and its figures are not those of unseen data. `--rows` of `anchormatch-lab evaluate` takes names of rows, and answers a name that it
//! does not know with all of them.

pub(super) mod sparse;

/// Nodes of the larger side from which on a relaxation and a short search come first, and sparse graphs
/// are annealed: below, a portfolio of searches is faster than one careful relaxation.
///
/// `anchormatch-lab evaluate limits --rows n-50,n-100`
pub(super) const LARGE: usize = 64;

/// Nodes of the larger side beyond which partial matchings are tried only where they are asked for, and
/// are what is left of the full one when those that disagree are dropped.
///
/// `anchormatch-lab evaluate outliers`
pub(super) const LARGEST_PARTIAL: usize = 200;

/// Nodes beyond which the residuals' fourth moment is not worth its n³.
///
/// `anchormatch-lab evaluate calibration --rows house,hotel-90`
pub(super) const LARGEST_RESIDUALS: usize = 1000;

/// Nodes of the larger side from which on counts with heavy tails are compared by their logarithms: the table of
/// their octaves needs pairs enough, and smaller graphs do better with ranks.
///
/// `anchormatch match docs/guide/march.csv docs/guide/april.csv --anchors docs/guide/known.csv --allow-unmatched`
pub(super) const LEAST_COUNTED: usize = 64;

/// Nodes beyond which a doubtful anchor is no reason for another search.
///
/// `anchormatch-lab bench networks`
pub(super) const LARGEST_SECOND_SEARCH: usize = 1000;

/// Nodes beyond which anchors are checked only where repairs are asked for: the check would take as
/// long as the match.
///
/// `anchormatch-lab bench networks`
pub(super) const LARGEST_UNASKED_CHECK: usize = 200;

/// Nodes up to which graphs with few edges are sampled by chains that exchange any two partners, and jump between the
/// modes that were met; beyond, exchanges go along edges.
///
/// `scripts/bench_calibration.py --families attachment,geometric,attributes`
pub(super) const LARGEST_WHOLE_CHAIN: usize = 300;

/// Exchanges that a long round of annealing proposes where that is more than 150 for each node: small graphs have many
/// optima that lie close together, and time enough.
///
/// `scripts/bench_calibration.py --families attachment,geometric,edges`
pub(super) const ANNEALED_PROPOSALS: usize = 1_200_000;

/// Share of the pairs that are joined beyond which a graph's edges are not listed.
///
/// `anchormatch-lab bench networks`
pub(super) const SPARSE_DENSITY: f64 = 0.1;

/// Nodes of the larger side beyond which graphs with few edges are matched over lists of candidates, by the
/// share of the pairs that may be joined: the denser, the longer all pairs tell more.
///
/// `anchormatch-lab bench large`
pub(super) const LISTED_NODES: [(usize, f64); 2] = [(300, 0.03), (2000, SPARSE_DENSITY)];

/// The expected share of right pairs from which on lists of candidates are believed where all pairs could be searched as
/// well.
///
/// `anchormatch-lab bench large --dense 1000`
pub(super) const LISTS_ARE_SURE: f64 = 0.99;

/// The same where chains of exchanges had the last word: of phone calls and mails of the same people, the one of which has nine times as
/// many edges, chains found .01 and .36 were right by all pairs.
///
/// `scripts/bench_calibration.py --families phone_email --data DIR`
pub(super) const CHAINS_FOUND: f64 = 0.2;

/// Times as many edges a node that one graph has to have for all pairs to be searched where lists of candidates expect a smaller share of
/// right pairs than stands beside, and the nodes up to which they are: of 2 500 nodes of a small world, one side of which kept .95 of its edges
/// and the other .2, lists found .06 and all pairs .33.
///
/// `scripts/bench_unequal.py`
pub(super) const UNEQUAL_DEGREES: f64 = 2.5;
pub(super) const UNEQUAL_FOUND: f64 = 0.6;
pub(super) const LARGEST_UNEQUAL: usize = 3000;

/// The share of the larger side's nodes that may have no partner for full matchings of graphs with few edges to be
/// ordered by the edges that both show: which of them stay alone then hardly counts, and lists of edges are searched
/// much faster than tables of all pairs.
///
/// `scripts/bench_calibration.py --families phone_email`
pub(super) const NEARLY_EQUAL: f64 = 0.05;

/// Points of the larger set up to which distances are asked when no map is credible.
///
/// `anchormatch-lab bench points`
pub(super) const LARGEST_DISTANCES: usize = 300;

/// Evidence of a map above that of the anchors alone, in nats, below which distances are asked instead.
///
/// `anchormatch-lab bench points`
pub(super) const LEAST_GAIN: f64 = 1.0;

/// Sets of points may differ by this share of the larger one for distances to be asked for a start, and to have the
/// last word: they say nothing of points that one set has alone, and are sure of them all the same.
///
/// `anchormatch-lab bench points`
pub(super) const MOST_EXTRA: [f64; 2] = [0.2, 0.1];

/// Nodes of the larger side up to which several views of counts are sampled by their tables: the partners that are proposed
/// are weighed for all pairs of nodes first.
///
/// `scripts/bench_known.py --rows crossing,layers`
pub(super) const LARGEST_TABLED: usize = 1000;

/// Partners that such a chain proposes for each node, and in all: a quarter of them changed no row by more than .01.
///
/// `scripts/bench_known.py --rows crossing,layers`
pub(super) const TABLED_PROPOSALS: (usize, usize) = (4000, 1_500_000);

/// Steps of the mean field's annealing by the nodes that they suffice for: each step costs n³, and what
/// large graphs lose by fewer steps their larger n makes up for.
///
/// `anchormatch-lab evaluate limits --rows n-100,sbm-0.3-10`
pub(super) const MEAN_FIELD_STEPS: [(usize, usize); 3] = [(400, 60), (800, 40), (usize::MAX, 24)];

/// Σ X(1 − X) a node above which a mean field that was annealed says nothing.
///
/// `anchormatch-lab evaluate limits --rows sbm-0.3-5,sbm-0.3-10`
pub(super) const OPEN: f64 = 0.5;

/// The share of their pairs on which two annealings agree when there is something to find.
///
/// `anchormatch-lab evaluate limits --rows sbm-0.3-5,sbm-0.3-10`
pub(super) const AGREED: f64 = 0.3;

/// Nats by which a matching must beat what chance makes of the best one before the search ends.
///
/// `anchormatch-lab evaluate limits --rows sigma-0.4,sigma-0.5`
pub(super) const BEYOND_CHANCE: f64 = 10.0;

/// Nats beyond which a wrong anchor is in no doubt.
///
/// `anchormatch-lab evaluate limits`, and the example `rates_of_wrong_anchors`
pub(super) const CLEAR: f64 = 10.0;

/// Nats beyond which an anchor is decided, and its scales need no fit.
///
/// the example `rates_of_wrong_anchors`
pub(super) const DECIDED: f64 = 50.0;

/// Nats below the best beyond which a mode of the posterior is left out: all of them together weigh
/// nothing.
///
/// `anchormatch-lab evaluate calibration`
pub(super) const DEPTH_OF_MODES: f64 = 15.0;

/// The share of the time left that a stage with others after it may take.
///
/// `anchormatch match … --time-limit S --json` shows what each stage took
pub(super) const SEARCH_SHARE: f64 = 0.8;

/// π: the probability that an anchor that a person gives is right.
///
/// the example `rates_of_wrong_anchors`
pub(super) const TRUST: f64 = 0.99;

/// The probability below which a pair of the sparse regime is left out where nodes may stay alone: recall is then
/// above that of percolation in every row, and precision not below it by more than .0001.
///
/// `anchormatch-lab bench large`
pub(super) const KEPT: f32 = 0.8;

/// Nats of the posterior from which on a matching of all nodes is likelier right than found by chance. Matchings that
/// differ by a few pairs share most of their evidence, so that unrelated graphs stay below 0.
///
/// `scripts/bench_trust.py`, `anchormatch-lab evaluate calibration`
pub(super) const CHANCE_OF_FULL: f64 = -3.0;

/// The same where the nodes that are matched were chosen too.
///
/// `scripts/bench_trust.py`, `anchormatch-lab evaluate calibration`
pub(super) const CHANCE_OF_PARTS: f64 = 3.0;

/// The same for a map between points: families, turns and scales to choose from.
///
/// `scripts/bench_trust.py`
pub(super) const CHANCE_OF_MAPS: f64 = 8.0;

/// Sets of decoys that are asked about a map, in all, as long as those before leave a doubt; all of them where they are
/// quick, for along lines one or two may miss what the others find.
///
/// `scripts/bench_trust.py --rows unrelated --kinds points`
pub(super) const MAP_DECOYS: [u64; 3] = [1, 2, 4];

/// Nats by which the maps of decoys differ at the least.
///
/// `anchormatch-lab bench points --only solid`, `scripts/bench_trust.py --rows unrelated --kinds points`
pub(super) const MAP_DECOY_NATS: f64 = 1.0;

/// Deviations above the decoys at which a map is as likely right as found by chance, the log odds that each more of them
/// is worth, and those that a bound which speaks against it has beside that at the most. Of 60 pairs of strangers of ten
/// points 4 stood above two deviations, of 25 pairs of Willow's ducks, which are hard to match, 21.
///
/// `anchormatch-lab bench points --only solid`, `scripts/bench_trust.py --rows unrelated --kinds points`
pub(super) const MAP_STANDING: f64 = 1.5;
pub(super) const MAP_STEEPNESS: f64 = 2.0;
pub(super) const MAP_STANDING_BESIDE: f64 = 0.25;

/// Deviations above one decoy and above several from which on no others are asked.
///
/// `anchormatch-lab bench points --only solid`
pub(super) const MAP_PLAIN: [f64; 2] = [20.0, 7.5];

/// Log odds of a map beside decoys within which anchors are hidden to learn more; the log odds that each nat is worth which the others
/// foretell of them, and those that are needed: searches that do not know an anchor fail where the whole one does not.
///
/// `anchormatch-lab bench points --only solid`, `scripts/bench_points.py --rows duck`
pub(super) const MAP_HIDDEN_IN_DOUBT: f64 = 5.0;
pub(super) const MAP_FORETOLD_STEEPNESS: f64 = 2.0;
pub(super) const MAP_FORETOLD_NEEDED: f64 = 0.5;

/// The share of the pairs that may be joined for decoys to be asked.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric`
pub(super) const DECOYS_DENSITY: f64 = 0.35;

/// Nats a pair beyond chance from which on decoys are asked, where triangles explain nothing and where they explain some of it, and
/// up to which they are, where triangles explain some and where they explain much.
///
/// `scripts/bench_trust.py --rows unrelated`, `scripts/bench_calibration.py --families geometric,attachment,edges`
pub(super) const DECOYS_ASKED: [f64; 4] = [-0.4, -1.25, 1.5, 6.0];

/// The same over lists of candidates: from which on where triangles explain nothing, and up to which where they explain some of it. Matches
/// that were half right had -.9 and unrelated ones -1.2 and less (500 uniform nodes); unrelated geometric graphs and small worlds of 500 to
/// 2 000 nodes had -.02 at the most, with degrees from 8 to 40 and 1 to 100 anchors.
///
/// `scripts/bench_trust.py --rows unrelated`
pub(super) const LISTED_DECOYS_ASKED: [f64; 2] = [-1.0, 0.5];

/// The share of the evidence that triangles leave below which they explain much.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric`
pub(super) const DECOYS_EXPLAINED: f64 = 0.65;

/// Pairs from which on decoys are asked: fewer are spoilt by a wrong anchor or two.
///
/// `scripts/bench_trust.py --rows symmetric`
pub(super) const LEAST_DECOYED: usize = 30;

/// Sets of decoys.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric`
pub(super) const DECOYS: usize = 8;

/// The share of the free targets, those of the nearest degrees, that a decoy is drawn from.
///
/// `scripts/bench_trust.py --rows unrelated --kinds attachment`
pub(super) const DECOY_RANGE: f64 = 0.25;

/// Nats by which the matches of decoys differ at the least.
///
/// `scripts/bench_trust.py --rows unrelated`
pub(super) const DECOY_NATS: f64 = 3.0;

/// Deviations above the decoys at which a match is as likely right as found by chance, and how many more where triangles
/// leave nothing of the evidence.
///
/// `scripts/bench_trust.py --rows unrelated`, `scripts/bench_calibration.py --families geometric,attachment,edges`
pub(super) const STANDING: [f64; 2] = [2.0, 4.0];

/// The same over lists of candidates: of 150 pairs of strangers in 14 families the highest standing was 3.4.
///
/// `scripts/bench_calibration.py --families listed`
pub(super) const LISTED_STANDING: f64 = 3.0;

/// Nats that the distances of anchors from each other have to tell for a match to be as likely right as found by chance, and the
/// probability of that from which on no decoys are asked.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric`, `scripts/bench_calibration.py --families geometric`
pub(super) const DISTANCES_NEEDED: f64 = 6.0;
pub(super) const DISTANCES_SETTLE: f64 = 0.95;

/// The log odds that the evidence has beside the decoys at the most.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric`
pub(super) const STANDING_BESIDE: f64 = 1.5;

/// Nats that nearly all anchors have to foretell of each for a match to be as likely right as found by chance, where neighbours are
/// joined among themselves.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric`, `scripts/bench_clustered.py --largest 300`
pub(super) const FORETOLD_NEEDED: f64 = 2.5;

/// The same over lists of candidates, as the logarithm of an e-value, which strangers have more of once in e^4 times, and what each nat more
/// is worth in log odds.
///
/// `scripts/bench_doubt.py`, and with `--strangers`
pub(super) const LISTED_FORETOLD_NEEDED: f64 = 4.0;
pub(super) const LISTED_FORETOLD_STEEPNESS: f64 = 2.0;

/// Searches by which every anchor is hidden once.
///
/// the example `dependent_weights`
pub(super) const HIDDEN_FOLDS: usize = 3;

/// Shares of a match that may be wrong, each as likely as the others: quick searches without an anchor fail where the whole one does not.
///
/// the example `dependent_weights`
pub(super) const HIDDEN_MISTAKES: [f64; 3] = [0.05, 0.5, 0.9];

/// Nats a pair beyond chance up to which it is asked what the anchors foretell of each other, where weights depend on each other:
/// unrelated graphs had .47.
///
/// the example `dependent_weights`
pub(super) const HIDDEN_ASKED: f64 = 0.6;
/// Nats between which the bound is in doubt: below and above, what anchors foretell would change no confidence.
///
/// the example `dependent_weights`
pub(super) const HIDDEN_IN_DOUBT: [f64; 2] = [-10.0, 20.0];

/// The share of the weights that is independent from which on all of them are: of uniform weights it varies by some .03.
///
/// the example `dependent_weights`
pub(super) const INDEPENDENT: f64 = 0.9;

/// Pairs from which on anchors are hidden where weights are independent: of fewer, to foretell one tells little.
///
/// the example `dependent_weights`
pub(super) const HIDDEN_LEAST: usize = 12;

/// Nats by which anchors have to be foretold for a match to be as likely right as found by chance, where weights are independent
/// and where they are not: unrelated graphs reach the second once in e² at the most.
///
/// the example `dependent_weights`
pub(super) const HIDDEN_NEEDED: [f64; 2] = [0.5, 2.0];

/// Nats over which the one turns into the other.
///
/// `scripts/bench_trust.py`, `anchormatch-lab evaluate calibration`
pub(super) const CHANCE_WIDTH: f64 = 2.0;

/// Classes of pairs of nodes by how many neighbours they share, each with as many edges.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric,clustered,blocks,cliques`
pub(super) const CLOSURE_CLASSES: usize = 8;

/// The share of the evidence below which triangles explain some of it. What chance can do is an estimate then, and a full
/// matching has to be as far beyond it as a partial one.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric,clustered,blocks,cliques`
pub(super) const CLOSURE_TELLS: f64 = 0.95;

/// The share of the edges' entropy above which triangles explain nothing: independent edges have more.
///
/// `scripts/bench_trust.py --rows unrelated`, `scripts/bench_calibration.py --families edges`
pub(super) const CLOSURE_OPEN: f64 = 0.985;

/// Neighbours of a node beyond which it is nobody's shared neighbour: half of all nodes may share a hub.
///
/// `scripts/bench_trust.py --rows unrelated --kinds attachment,clustered`
pub(super) const CLOSURE_HUB: usize = 1000;

/// Pairs of neighbours that are visited to count shared ones; of larger graphs a sample of the nodes is asked.
///
/// `anchormatch match … --json` shows what stage `chance` took
pub(super) const CLOSURE_VISITS: f64 = 4e6;

/// The same once the run was told to stop, and somebody waits for what was found.
///
/// `anchormatch match …` on a million nodes, ended by a signal; `--json` shows what stage `chance` took
pub(super) const CLOSURE_VISITS_STOPPED: f64 = 4e5;

/// Long annealings at most.
///
/// `scripts/bench_calibration.py --families phone_email`
pub(super) const LONG_ANNEALINGS: usize = 3;

/// Nats by which two answers may differ that are called as likely.
///
/// `scripts/bench_calibration.py --families attachment,geometric,edges`
pub(super) const AS_LIKELY: f64 = 1e-6;

/// Correlations at which outliers are looked for.
///
/// `anchormatch-lab evaluate outliers`
pub(super) const OUTLIER_LADDER: [f64; 3] = [0.99, 0.9, 0.7];

/// Numbers that a short search touches at most.
///
/// `anchormatch-lab evaluate limits --rows n-100,sbm-0.3-10`
pub(super) const POLISH_NUMBERS: usize = 1 << 30;

/// How much more each of them costs where W is no short sum of products.
///
/// `anchormatch-lab evaluate limits --rows n-100,sbm-0.3-10`
pub(super) const POLISH_GENERAL: usize = 32;

/// The share of ln(number of matchings) that the evidence of the right one has at the least.
///
/// `anchormatch-lab evaluate limits --rows sigma-0.4,sigma-0.5`
pub(super) const FINDABLE: f64 = 0.75;

/// Confidences from which on pairs are judged together, beside all of them.
///
/// `scripts/bench_trust.py`
pub(super) const CHANCE_TIERS: [f64; 3] = [0.99, 0.9, 0.5];

/// Fits of the scales, each followed by a search under them, at most.
///
/// `anchormatch-lab evaluate limits`
pub(super) const SEARCH_FITS: usize = 4;

/// Runs until no anchor is suspicious, at most.
///
/// the example `rates_of_wrong_anchors`
pub(super) const REPAIR_ROUNDS: usize = 8;

/// Fits of the scales, each followed by a search under them, at most.
///
/// the example `rates_of_wrong_anchors`
pub(super) const ANCHOR_FITS: usize = 4;

/// Iterations of such a search for each node.
///
/// the example `rates_of_wrong_anchors`
pub(super) const ANCHOR_TABU: usize = 30;

/// Numbers that the searches may touch: some ten milliseconds each.
///
/// the example `rates_of_wrong_anchors`
pub(super) const ANCHOR_BUDGET: usize = 5_000_000;

/// Fits of the scales to samples before the ones that count.
///
/// `anchormatch-lab evaluate calibration`
pub(super) const SAMPLE_FITS: usize = 2;

/// The mean confidence from which on nobody asks how far edges are to be believed: hardly a pair is in doubt.
///
/// `scripts/bench_calibration.py --families geometric,attachment,edges`
pub(super) const SURE_ENOUGH: f64 = 0.98;

/// Beliefs in the edges' evidence from which on no other samples are worth their time.
///
/// `scripts/bench_calibration.py --families geometric,attachment,edges`
pub(super) const NEARLY_ALL: f64 = 0.95;

/// The mean confidence below which it is told by other samples than the matching was chosen by.
///
/// `scripts/bench_calibration.py --families geometric,attachment,edges`
pub(super) const DRAWN_AGAIN: f64 = 0.9;

/// Powers of the edges' evidence that are tried, from all of it on.
///
/// `scripts/bench_calibration.py --families geometric,attachment,edges`
pub(super) const BELIEFS: [f64; 7] = [1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3];

/// Pairs of graphs that are dealt for it, and sweeps of each chain.
///
/// `scripts/bench_calibration.py --families geometric,attachment,edges`
pub(super) const BELIEF_DEALS: usize = 2;
/// See [`BELIEF_DEALS`].
pub(super) const BELIEF_SWEEPS: usize = 12;

/// Edges that samples may have in common beyond those of the right matching, in the mean.
///
/// `scripts/bench_calibration.py --families geometric,attachment,edges`
pub(super) const BELIEF_TOLERANCE: f64 = 0.5;
