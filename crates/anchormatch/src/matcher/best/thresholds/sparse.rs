//! The numbers of the sparse regime.

/// Posteriors above which pairs are settled: the first bounds at any time, the others when nothing else helps.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const SETTLED_FROM: [f32; 5] = [0.98, 0.9, 0.8, 0.65, 0.5];

/// How many of the bounds hold at any time.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const SETTLED_EVER: usize = 2;

/// Times that noisy seeds spread, at most.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const NOISY_SEEDS: usize = 40;

/// Candidates of a node that become noisy seeds.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const TENTATIVE: usize = 10;

/// Probabilities above which a pair is part of the next start.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const RESTARTED_FROM: f32 = 0.9;

/// The share of nodes in doubt below which nothing is to be gained.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const IN_DOUBT: f64 = 0.005;

/// The growth of the expected number of right pairs below which it ends, as a share of the nodes.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const GROWTH: f64 = 0.001;

/// Candidates of a node.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const CANDIDATES: usize = 16;

/// Nats below the best beyond which a candidate is none.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const DEPTH_OF_CANDIDATES: f32 = 14.0;

/// The share of the nodes that have no partner before anything is known, the nodes that it is as if seen on, and the power of what edges
/// say of it that is believed: of all of it, one node in ten was taken to be alone where none was.
///
/// `scripts/bench_partial.py`
pub(in crate::matcher::best) const ALONE_AT_FIRST: f64 = 0.001;
pub(in crate::matcher::best) const ALONE_SEEN: f64 = 10.0;
pub(in crate::matcher::best) const ALONE_BELIEVED: f64 = 0.5;

/// Iterations after which the model is fitted.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const BELIEF_FITS: usize = 3;

/// Beliefs that change by less are the same.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const SAME_BELIEF: f32 = 0.01;

/// Beliefs above which a pair is taken for one in a fit.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const FITTED_FROM: f32 = 0.5;

/// Beliefs above which a pair is as good as certain.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const CERTAIN: f32 = 0.99;

/// The share of the nodes whose likeliest partner may change in the last iteration.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const STILL: f64 = 1e-3;

/// Anchors that are asked at most.
///
/// `scripts/bench_calibration.py --families sparse,acm_dblp,douban`
pub(in crate::matcher::best) const ANCHORS_ASKED: usize = 4000;

/// Nats by which the anchors must be likelier under a smaller share: a few anchors tell little.
///
/// `scripts/bench_calibration.py --families sparse,acm_dblp,douban`
pub(in crate::matcher::best) const CALIBRATION_GAIN: f64 = 3.0;

/// Nodes of the larger side beyond which no second opinion is asked: it takes as long as the first.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const LARGEST_CONSENSUS: usize = 50_000;

/// How many times more often than by chance rivals share neighbours, below which no second opinion is asked: without
/// clusters no region is settled wrongly as a whole, and hidden anchors gave second opinions no weight.
///
/// `anchormatch match … --json` shows closeness, weight and seconds; on noisy copies of uniform, power-law and
/// preferential graphs (closeness 1.0 to 1.2, weight 0), block models (8, 0) and geometric graphs (90 to 110, .25)
pub(in crate::matcher::best) const CLOSE_RIVALS: f32 = 4.0;

/// Anchors of which one is hidden from a second opinion.
///
/// `anchormatch match … --truth`, on ACM–DBLP, Douban and Facebook–Twitter
pub(in crate::matcher::best) const HIDDEN_ONE_IN: usize = 5;

/// Hidden anchors below which they say too little of an opinion.
///
/// `anchormatch match … --truth`, on ACM–DBLP, Douban and Facebook–Twitter
pub(in crate::matcher::best) const LEAST_HIDDEN: usize = 10;

/// Second opinions.
///
/// `anchormatch match … --truth`, on ACM–DBLP, Douban and Facebook–Twitter
pub(in crate::matcher::best) const OPINIONS: usize = 2;

/// Iterations of a second opinion before the hidden anchors are shown, and after.
///
/// `anchormatch match … --truth`, on ACM–DBLP, Douban and Facebook–Twitter
pub(in crate::matcher::best) const OPINION_ITERATIONS: usize = 12;
pub(in crate::matcher::best) const SHOWN_ITERATIONS: usize = 4;

/// The probability of a hidden anchor's partner that was not thought of.
///
/// `anchormatch match … --truth`, on ACM–DBLP, Douban and Facebook–Twitter
pub(in crate::matcher::best) const UNHEARD: f64 = 1e-3;

/// Edges by which a node hangs that exchanges do not hold, the share of such nodes, and the variance of degrees over their
/// mean, up to which chains of exchanges are asked: ACM–DBLP has .08 and 8.3, collaborations and e-mail .3 to .4 and 7 to
/// 10, where they were below the field; Facebook–Twitter .02 and 2.7, geometric and small-world graphs .00 to .08 and .2 to 1.4.
///
/// `anchormatch match … --truth`, on noisy copies of geometric and small-world graphs and the real pairs
pub(in crate::matcher::best) const LOOSE_EDGES: usize = 2;
pub(in crate::matcher::best) const MOST_LOOSE: f64 = 0.15;
pub(in crate::matcher::best) const MOST_DISPERSED: f64 = 4.0;

/// Chains, the proposals that they make together where that is within the sweeps, and sweeps of each at least and at most.
///
/// `anchormatch match … --json` shows what stage `sampling` took
pub(in crate::matcher::best) const CHAINS: usize = 4;
pub(in crate::matcher::best) const CHAIN_PROPOSALS: usize = 20_000_000;
pub(in crate::matcher::best) const LEAST_SWEEPS: usize = 100;
pub(in crate::matcher::best) const MOST_SWEEPS: usize = 1000;

/// Sweeps of each chain from which on a stop leaves the answer to them.
///
/// `anchormatch match … --time-limit S --truth`, on copies of geometric graphs
pub(in crate::matcher::best) const ENOUGH_SWEEPS: usize = 20;

/// By how much chains are heated first, and one in how many sweeps they take to cool down: patches that lie wrong together
/// move then, and more heat loses what holds them in graphs that kept .7 of their edges.
///
/// `anchormatch match … --truth`, on copies of geometric graphs that keep .7 to .9 of their edges
pub(in crate::matcher::best) const HEATED: f32 = 1.3;
/// The same where landmarks lead the way back, the nats at first that a step between partners costs, and the share of such a
/// chain that one takes that nothing leads: it counts where more is lost in the heat than found again.
///
/// `anchormatch match … --truth`, on copies of geometric graphs and small worlds that keep .7 to .9 of their edges
pub(in crate::matcher::best) const HEATED_WHEN_LED: f32 = 2.0;
pub(in crate::matcher::best) const LED_BY: f32 = 5.0;
pub(in crate::matcher::best) const HELD_ONE_IN: usize = 4;

/// Chains beyond so many nodes, one pair of graphs being dealt for them: more nodes say as much as more chains.
///
/// `anchormatch match … --json` shows what stage `sampling` took
pub(in crate::matcher::best) const MANY_NODES: usize = 50_000;
pub(in crate::matcher::best) const CHAINS_OF_MANY: usize = 2;

/// Powers of the posterior that are tried, the pairs of graphs that are dealt for it, and sweeps of each chain.
///
/// `scripts/bench_clustered.py`
pub(in crate::matcher::best) const CHAIN_BELIEFS: [f32; 6] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5];
pub(in crate::matcher::best) const CHAIN_DEALS: usize = 2;
pub(in crate::matcher::best) const DEALT_SWEEPS: usize = 30;

/// Times that J and the belief are fitted to a sample in the place of the likeliest matching, and the sweeps to it: more of them leave ever more
/// nodes alone where some have no partner.
///
/// `scripts/bench_clustered.py --rows geometric`, `scripts/bench_partial.py --rows geometric,small`
pub(in crate::matcher::best) const REDEALT: usize = 1;
pub(in crate::matcher::best) const REDEALT_SWEEPS: usize = 40;

/// Anchors that distances are counted from.
///
/// `anchormatch match … --truth`, on copies of small worlds that keep .8 of their edges
pub(in crate::matcher::best) const LANDMARKS: usize = 64;

/// The share of nodes that the field leaves alone from which on chains are heated that may leave nodes alone: geometric graphs, planar
/// ones and graphs in space with nodes of their own have .10 and more, those that kept .7 of their edges and whose nodes all have partners .04 to
/// .06; Facebook–Twitter has .02, and had .93 right in the place of .97 with such chains. Then the nodes of the smaller
/// side for which either side has one more to fill it up, and the nats that a pair must be likelier apart to be left alone: with 0 to 1.5,
/// geometric graphs with nodes of their own had .02 to .13 less right, and 326 nodes alone where 200 have no partner.
///
/// `scripts/bench_partial.py --rows geometric,small`, and `anchormatch match … --truth` on Facebook–Twitter
pub(in crate::matcher::best) const PARTED_FROM: f64 = 0.08;
/// The share of the other side's edges that either side has at the least for such chains: where one has few of them, hardly a pair keeps
/// what is expected of it, and chains leave nearly everybody alone.
///
/// `anchormatch match … --regime sparse --truth` on phone calls and mails, the one of which has nine times as many edges
pub(in crate::matcher::best) const PARTED_SEEN: f64 = 0.3;
pub(in crate::matcher::best) const PARTED_ONE_IN: usize = 2;
pub(in crate::matcher::best) const PARTED: f32 = 3.0;

/// Times that what edges say is fitted to who is alone, and sweeps before each.
///
/// `scripts/bench_partial.py --rows geometric,small`
pub(in crate::matcher::best) const PARTED_ROUNDS: usize = 3;
pub(in crate::matcher::best) const PARTED_SWEEPS: usize = 10;

/// See [`HEATED`].
pub(in crate::matcher::best) const COOLED_ONE_IN: usize = 2;

/// The share of the pairs expected to be right that chains have to expect too: where they lose more, nothing holds the
/// nodes, and the field says more.
///
/// `anchormatch match … --truth`, on copies of geometric graphs of degree 8 that keep .7 of its edges
pub(in crate::matcher::best) const STILL_BELIEVED: f32 = 0.5;
/// The same where they came to a likelier matching.
///
/// `anchormatch match … --regime sparse --truth` on phone calls and mails, the one of which has nine times as many edges
pub(in crate::matcher::best) const LIKELIER_BELIEVED: f32 = 0.25;

/// Anchors below which their distances from each other tell nothing: of six, one permutation in 720 is the given one.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric`
pub(in crate::matcher::best) const LEAST_APART: usize = 6;

/// What deviations of distances count, for their sums are skewed: of 1 500 pairs of strangers of six families, with 6 to 64 anchors, one
/// in a thousand was beyond 2.6 to 4.1 deviations, where a normal variable is beyond 3.1.
///
/// `scripts/bench_trust.py --rows unrelated --kinds geometric`
pub(in crate::matcher::best) const SKEWED: f64 = 0.75;

/// Sets of decoys after which a plain answer is believed.
///
/// `scripts/bench_trust.py --rows unrelated`; `anchormatch match … --json` shows what stage `chance` took
pub(in crate::matcher::best) const FIRST_DECOYS: usize = 4;

/// Searches by which every anchor is hidden once, where anchors are asked about each other.
///
/// `scripts/bench_clustered.py --largest 300`
pub(in crate::matcher::best) const FORETOLD_FOLDS: usize = 4;

/// Nodes up to which matches that do not know some of the anchors are sampled by chains, which take most of the time beyond.
///
/// `anchormatch match … --json` shows what stage `chance` took
pub(in crate::matcher::best) const LARGEST_FORETOLD_BY_CHAINS: usize = 2000;

/// Degrees whose ratio is less may be of one class, of which a blind choice would take any.
///
/// `scripts/bench_doubt.py --strangers`
pub(in crate::matcher::best) const SAME_DEGREE: f64 = 1.5;

/// The share of a match that decoys must lead to as well for it to be found again: matches of strangers of 300 nodes and more had .04 of their
/// pairs in common at the most.
///
/// `scripts/bench_trust.py --rows unrelated`
pub(in crate::matcher::best) const FOUND_AGAIN: f64 = 0.3;

/// Partners of a node that its similarities alone bring up.
///
/// `scripts/bench_known.py`
pub(in crate::matcher::best) const NAMED: usize = 10;

/// No similarity says more for or against a pair, in nats.
///
/// `scripts/bench_known.py`
pub(in crate::matcher::best) const MOST_OF_SIMILARITY: f64 = 10.0;

/// No edges between the sides say more for or against a pair, in nats.
///
/// `scripts/bench_known.py --rows crossing`
pub(in crate::matcher::best) const MOST_OF_CROSSING: f32 = 30.0;

/// Pairs of nodes that one pair may speak for by edges between the sides.
///
/// `scripts/bench_known.py --rows crossing`
pub(in crate::matcher::best) const CROSSED: usize = 4096;

/// Times that what edges between the sides say is fitted to what is believed.
///
/// `scripts/bench_known.py --rows crossing`
pub(in crate::matcher::best) const ROUNDS_ACROSS: usize = 2;

/// The weight of no partner at all, beside one for each of a node's candidates.
///
/// `scripts/bench_known.py`
pub(in crate::matcher::best) const NOT_LISTED: f64 = 0.02;

/// Probabilities below which a pair is as good as a guess, and no part of what is weighed against chance.
///
/// `scripts/bench_trust.py`
pub(in crate::matcher::best) const GUESSED: f32 = 0.1;

/// Neighbours of partners that are visited for one node. Beyond it they are looked up.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const VISITS: usize = 4096;

/// Partners of a node's neighbours that are heard, those of small degree first: what a thousand say of a hub,
/// its other neighbours would only repeat.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const HEARD: usize = 1024;

/// Nodes that are looked at in full: those that most speaks for after the visits.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const LOOKED_UP: usize = 64;

/// Times as many of which it is asked what is known beside edges.
///
/// `scripts/bench_known.py`
pub(in crate::matcher::best) const ASKED_BEYOND_EDGES: usize = 4;

/// Nats below the best beyond which a node is no candidate, whatever its degree says.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const DEPTH_OF_NEIGHBOURS: f32 = 26.0;

/// Beliefs below this do not spread.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const SPREADS: f32 = 0.01;

/// Pairs from which on a rehearsal tells how sure others may be, and the share of nodes in doubt from which on it is worth its time.
///
/// `scripts/bench_doubt.py`, `scripts/bench_partial.py`
pub(in crate::matcher::best) const LEAST_REHEARSED: usize = 50;
pub(in crate::matcher::best) const REHEARSED_IN_DOUBT: f64 = 0.05;

/// The share of what is expected to be right that a rehearsal has to find for the dealt pair to be of the same kind: of forest fires, hardly any
/// of which is right, it finds less.
///
/// `scripts/bench_doubt.py`
pub(in crate::matcher::best) const REHEARSED_ALIKE: f64 = 0.85;

/// Nodes of the larger side up to which there are rehearsals, and by how much more than by chance rivals have to share neighbours for larger
/// graphs to have one: probabilities over large graphs without clusters are right already.
///
/// `anchormatch-lab bench large`
pub(in crate::matcher::best) const LARGEST_REHEARSED: usize = 2_000;
pub(in crate::matcher::best) const NEAR_RIVALS: f32 = 1.2;
