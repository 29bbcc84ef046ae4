//! What is known beside graphs and anchors: files that fit are taken, others are refused with their place.

mod common;

use common::Bench;

const MATCH: &str = "match a.csv b.csv --anchors anchors.csv";

/// The pair of graphs with a table of nodes for each.
fn bench() -> Bench {
    let bench = Bench::new().with_pair();
    bench.file(
        "an.csv",
        "id,type,age,nick\nann,x,31,a\nbob,y,,b\neve,x,28,c\ndan,y,55,d\nfay,x,19,e\n",
    );
    bench.file(
        "bn.csv",
        "id,age,type,size\nnna,32,x,1\nbob,40,y,2\neve,28,x,3\nnad,54,y,\nyaf,19,,5\n",
    );
    bench
}

const NODES: &str = "--source-nodes an.csv --target-nodes bn.csv";

/// The notes of a run that does what it is asked.
fn notes(bench: &Bench, line: &str) -> String {
    let answer = bench.run(line);
    let stderr = answer.stderr.clone();
    answer.ok();
    stderr
}

#[test]
fn columns_of_both_tables_are_compared_and_named() {
    let bench = bench();
    let said = notes(&bench, &format!("{MATCH} {NODES}"));
    assert!(said.contains("are compared: type, age"), "{said}");
    assert!(said.contains("not used: nick, size"), "{said}");
    let said = notes(&bench, &format!("{MATCH} {NODES} --attributes age"));
    assert!(!said.contains("compared"), "{said}");
    // What must be the same is no evidence beside.
    let said = notes(&bench, &format!("{MATCH} {NODES} --same type"));
    assert!(said.contains("are compared: age"), "{said}");
    // A preset without attributes takes the nodes alone, and says so.
    let said = notes(&bench, &format!("{MATCH} {NODES} --preset paper"));
    assert!(
        said.contains("the preset paper does not use: type, age"),
        "{said}"
    );
    let suggested = bench.run(&format!("suggest a.csv b.csv {NODES} --same type -k 1"));
    assert!(suggested.stderr.contains("compared: age"), "{suggested:?}");
    suggested.ok();
}

#[test]
fn nodes_that_are_named_need_no_edges() {
    let bench = bench();
    bench.file("none.csv", "source,target\n");
    let line = "match none.csv b.csv --target-nodes bn.csv";
    bench.refuses(line, &["none.csv", "no edge"]);
    let answer = bench.run(&format!("{line} --source-nodes an.csv"));
    assert_eq!(answer.stdout.lines().count(), 6, "{answer:?}");
    answer.ok();
}

#[test]
fn unknown_columns_list_those_there_are() {
    let bench = bench();
    for option in ["--attributes", "--same"] {
        bench.refuses(
            &format!("{MATCH} {NODES} {option} agee"),
            &[option, "`agee`", "columns that both sides have: type, age"],
        );
        bench.refuses(
            &format!("{MATCH} {NODES} {option} nick"),
            &[option, "`nick`, which the nodes of TARGET do not have"],
        );
        bench.refuses(
            &format!("{MATCH} {option} age"),
            &[option, "there is none, give --source-nodes"],
        );
    }
    bench.file("twice.csv", "id,x,x\nann,1,2\n");
    bench.refuses(
        &format!("{MATCH} --source-nodes twice.csv"),
        &["twice.csv, line 1, column 3", "`x` once more"],
    );
}

#[test]
fn attributes_of_graph_files_are_offered_and_taken() {
    let bench = Bench::new();
    let graphml = |ids: [&str; 3], colours: [&str; 3]| {
        let mut text = "<graphml><key id='c' for='node' attr.name='colour'/><graph>".to_owned();
        for (id, colour) in ids.iter().zip(colours) {
            text += &format!("<node id='{id}'><data key='c'>{colour}</data></node>");
        }
        let [a, b, c] = ids;
        text += &format!("<edge source='{a}' target='{b}'/><edge source='{b}' target='{c}'/>");
        text + "</graph></graphml>"
    };
    bench.file(
        "a.graphml",
        graphml(["a", "b", "c"], ["red", "green", "blue"]),
    );
    bench.file(
        "b.graphml",
        graphml(["u", "v", "w"], ["red", "green", "blue"]),
    );
    bench.file(
        "b.gml",
        "graph [ node [ id 1 colour \"red\" ] node [ id 2 colour \"green\" ] node [ id 3 colour \"blue\" ]\n\
         edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]\n",
    );
    for other in ["b.graphml", "b.gml"] {
        let line = format!("match a.graphml {other}");
        let said = notes(&bench, &line);
        assert!(said.contains("--attributes colour would compare"), "{said}");
        let said = notes(&bench, &format!("{line} --attributes colour"));
        assert!(!said.contains("compare"), "{said}");
    }
    // A table speaks louder than the file.
    bench.file("an.csv", "id,colour\na,1\nb,2\nc,3\n");
    bench.file("bn.csv", "id,colour\nu,1\nv,2\nw,3\n");
    let said = notes(
        &bench,
        "match a.graphml b.graphml --source-nodes an.csv --target-nodes bn.csv",
    );
    assert!(said.contains("are compared: colour"), "{said}");
}

#[test]
fn long_tables_of_attributes_come_in_pairs() {
    let bench = bench();
    bench.file("af.csv", "node,attr\nann,red\nbob,blue\n");
    bench.file("bf.csv", "nna,red,2\nbob,blue,1\n");
    let both = "--source-attributes af.csv --target-attributes bf.csv";
    notes(&bench, &format!("{MATCH} {both}"));
    bench.refuses(
        &format!("{MATCH} --source-attributes af.csv"),
        &["--target-attributes"],
    );
    bench.file("bf.csv", "nna,red,2\nzoe,blue,1\n");
    bench.refuses(
        &format!("{MATCH} {both}"),
        &["bf.csv, line 2, column 1", "`zoe`", "target graph"],
    );
}

#[test]
fn candidates_are_of_nodes_that_there_are() {
    let bench = bench();
    for text in [
        "bob,bob\nbob,nad\ndan,nad\nbob,bob\n",
        "target,source,score\nbob,bob,3\nnad,bob,-1\nnad,dan,2\n",
        "source,target\n",
    ] {
        bench.file("c.csv", text);
        notes(&bench, &format!("{MATCH} --candidates c.csv"));
    }
    bench.file("c.csv", "bob,bob\nbob,zoe\n");
    bench.refuses(
        &format!("{MATCH} --candidates c.csv"),
        &["c.csv, line 2, column 2", "`zoe`", "target graph"],
    );
    bench.file("c.csv", "bob,\n");
    bench.refuses(
        &format!("{MATCH} --candidates c.csv"),
        &["c.csv, line 1, column 2: found an empty field", "anchors"],
    );
    // An anchor that the candidates rule out.
    bench.file("c.csv", "ann,bob\n");
    bench.refuses(&format!("{MATCH} --candidates c.csv"), &["`ann`", "`nna`"]);
    bench.refuses(
        &format!("{MATCH} --candidates c.csv"),
        &[
            "anchors.csv, line 2",
            "c.csv lists others for `ann`, line 1",
        ],
    );
    // Every preset heeds them.
    bench.file("c.csv", "bob,nad\n");
    for preset in ["best", "fast", "paper"] {
        let line = format!("{MATCH} --candidates c.csv --preset {preset} --output out.csv");
        bench.run(&line).ok();
        let found = bench.read("out.csv");
        assert!(
            found.contains("bob,nad,") || !found.contains("\nbob,"),
            "{found}"
        );
    }
}

#[test]
fn values_that_no_partner_can_have_are_refused_or_noted() {
    let bench = bench();
    bench.file(
        "an.csv",
        "id,side\nann,Left\nbob,Left\neve,Right\ndan,Left\nfay,Mid\n",
    );
    bench.file("bn.csv", "id,side\nnna,L\nbob,L\neve,R\nnad,L\nyaf,M\n");
    let line = format!("match a.csv b.csv {NODES} --same side");
    bench.refuses(
        &line,
        &[
            "--same",
            "`side`",
            "`Left`, `Mid`, `Right`",
            "`L`, `M`, `R`",
            "alike",
        ],
    );
    bench.refuses(&line.replace("match", "suggest"), &["--same", "`side`"]);
    bench.file(
        "bn.csv",
        "id,side\nnna,Left\nbob,Left\neve,Right\nnad,L\nyaf,\n",
    );
    let said = notes(&bench, &line);
    let wanted = "column `side`: 1 source node (`Mid`) and 1 target node (`L`) have a value that the \
                  other side has not";
    assert!(said.contains(wanted), "{said}");
    bench.file("bn.csv", "id,side\nnna,\nbob,\neve,\nnad,\nyaf,\n");
    let said = notes(&bench, &line);
    assert!(
        said.contains("no target node has a value in the column `side`"),
        "{said}"
    );
}

#[test]
fn files_that_contradict_each_other_are_named_with_their_lines() {
    let bench = bench();
    // A demand for the same value that an anchor does not meet.
    bench.file("known.csv", "source,target\nann,nna\nbob,eve\n");
    bench.refuses(
        &format!("match a.csv b.csv {NODES} --same type --anchors known.csv"),
        &[
            "known.csv, line 3",
            "`bob`, `eve`",
            "`type` is `y` and `x`",
            "--same type",
        ],
    );
    // No partner, and one that would be possible.
    bench.file("known.csv", "ann,nna,1\nfay,,\n,yaf,\nbob,nad,0.5\n");
    bench.file("c.csv", "bob,bob\nfay,eve\ndan,yaf\n");
    let line = "match a.csv b.csv --anchors known.csv --candidates c.csv --allow-unmatched";
    let said = notes(&bench, line);
    assert!(
        said.contains(
            "known.csv, line 2: `fay` has no partner, while c.csv, line 2 lists one that would be \
             possible; it stays alone, and 1 more such nodes"
        ),
        "{said}"
    );
    assert!(
        said.contains("known.csv, line 4: the soft anchor is of a pair that is ruled out"),
        "{said}"
    );
    bench.file("known.csv", "ann,nna,1\nfay,yaf,0.5\nfay,,\n");
    bench.refuses(
        line,
        &[
            "known.csv, line 2",
            "`fay` with a partner, which line 3 says it has not",
        ],
    );
    // Candidates of which the demand leaves none.
    bench.file("c.csv", "bob,eve\n");
    let said = notes(
        &bench,
        &format!("{MATCH} {NODES} --same type --candidates c.csv --allow-unmatched"),
    );
    assert!(
        said.contains("c.csv, line 1: no candidate of `bob` has the value"),
        "{said}"
    );
}

#[test]
fn headers_are_told_of_all_tables_or_of_one_kind() {
    let bench = bench();
    let anchors = "person,account\nann,nna\n";
    bench.file("known.csv", anchors);
    let line = "match a.csv b.csv --anchors known.csv";
    bench.refuses(line, &["known.csv, line 1", "`person`", "--header yes"]);
    notes(&bench, &format!("{line} --header anchors=yes"));
    bench.file("right.csv", "x,y\nann,nna\nbob,bob\n");
    bench.file("c.csv", "x,y\nbob,bob\n");
    bench.file("s.csv", "x,y,z\nbob,bob,1\neve,eve,2\n");
    bench.file("n.csv", "who,type\nann,x\nbob,y\neve,x\ndan,y\nfay,x\n");
    bench.file("f.csv", "x,y\nbob,red\n");
    let said = notes(
        &bench,
        &format!(
            "{line} --header yes,graphs=no --truth right.csv --candidates c.csv --node-similarity s.csv \
             --source-nodes n.csv --source-attributes f.csv --target-attributes f.csv --crossing c.csv"
        ),
    );
    assert!(
        !said.contains("header") && said.contains("1 of 1 non-anchor pair"),
        "{said}"
    );
    // An anchor that is lost to a header that is none is said.
    bench.file("known.csv", "ann,nna\nbob,bob\n");
    let said = notes(&bench, &format!("{line} --header anchors=yes"));
    assert!(
        said.contains(
            "known.csv: the first row, `ann,nna`, was taken as a header, and its names are ids"
        ),
        "{said}"
    );
    bench.refuses(
        &format!("{line} --header anchor=yes"),
        &["--header", "graphs, anchors, nodes"],
    );
    bench.refuses(
        &format!("{line} --header maybe"),
        &["--header", "auto, yes or no"],
    );
}

#[test]
fn ids_that_are_an_attribute_of_the_nodes_are_hinted_at() {
    let bench = Bench::new();
    let gml = |names: [&str; 2]| {
        let [a, b] = names;
        format!(
            "<graphml><key id='k' for='node' attr.name='name'/><graph><node id='n0'><data key='k'>{a}\
             </data></node><node id='n1'><data key='k'>{b}</data></node><edge source='n0' \
             target='n1'/></graph></graphml>"
        )
    };
    bench.file("a.graphml", gml(["ann", "bob"]));
    bench.file("b.graphml", gml(["u1", "u2"]));
    bench.file("known.csv", "ann,u2\n");
    let line = "match a.graphml b.graphml --anchors known.csv";
    bench.refuses(
        line,
        &[
            "`ann`",
            "its nodes have this as their `name`",
            "--node-id NAME",
        ],
    );
    bench.run(&format!("{line} --node-id name")).ok();
}

#[test]
fn crossing_edges_may_be_known_one_way_alone() {
    let bench = bench();
    bench.file("there.csv", "from,to,weight\nann,yaf,2\nbob,eve,1\n");
    bench.file("back.csv", "yaf,ann\n");
    for options in [
        "--crossing there.csv",
        "--crossing-back back.csv",
        "--crossing there.csv --crossing-back back.csv",
    ] {
        notes(&bench, &format!("{MATCH} {options}"));
    }
    bench.refuses(
        &format!("{MATCH} --crossing back.csv"),
        &["back.csv, line 1, column 1", "`yaf`", "source graph"],
    );
    bench.refuses(
        &format!("{MATCH} --crossing-back there.csv"),
        &["there.csv, line 2, column 1", "`ann`", "target graph"],
    );
}

#[test]
fn kinds_of_edges_are_a_column_of_both_files() {
    let bench = Bench::new();
    bench.file(
        "a.csv",
        "source,target,layer\na,b,work\nb,c,work\na,b,home\nc,d,home\n",
    );
    bench.file("b.csv", "p,q,work\nq,r,work\np,q,home\nr,s,home\n");
    bench.file(
        "c.csv",
        "source,target,layer\np,q,Arbeit\nq,r,Arbeit\np,q,Haus\nr,s,Haus\n",
    );
    for line in [
        "match a.csv b.csv --layers 3",
        "match a.csv c.csv --relations layer",
        "suggest a.csv c.csv --relations layer -k 1",
    ] {
        let said = notes(&bench, line);
        assert!(!said.contains("no layer"), "{said}");
    }
    let pairs = bench.run("match a.csv b.csv --layers 3").ok();
    assert_eq!(pairs.lines().count(), 1 + 4, "{pairs}");
    let said = notes(&bench, "match a.csv c.csv --layers layer");
    assert!(said.contains("no layer has the same name"), "{said}");
    bench.refuses(
        "match a.csv b.csv --layers layer",
        &["b.csv, line 1", "a header with the column `layer`"],
    );
    bench.refuses(
        "match a.csv c.csv --layers layer --relations layer",
        &["--layers", "--relations"],
    );
    bench.file("m.adj", "0 1\n1 0\n");
    bench.refuses(
        "match a.csv m.adj --layers layer",
        &["m.adj", "the format adjacency", "GraphML or GML"],
    );
    bench.file("p.csv", "x,y\n1,2\n3,4\n5,9\n");
    bench.refuses(
        "match p.csv p.csv --points --layers 3",
        &["p.csv", "points"],
    );
}

#[test]
fn who_has_no_partner_is_said_and_written() {
    let bench = Bench::new().with_pair();
    bench.file("alone.csv", "source,target\nann,nna\nfay,\n,yaf\n");
    let line = "match a.csv b.csv --anchors alone.csv --unmatched";
    let pairs = bench.run(line).ok();
    let rows: Vec<&str> = pairs.lines().collect();
    assert_eq!(rows.len(), 1 + 4 + 2, "{pairs}");
    assert_eq!(rows[5..], ["fay,,", ",yaf,"], "{pairs}");
    // What was written says the same as anchors and as a truth.
    bench.file("again.csv", &pairs);
    let again = bench
        .run("match a.csv b.csv --anchors again.csv --unmatched")
        .ok();
    assert!(again.contains("fay,,\n,yaf,\n"), "{again}");
    let said = notes(
        &bench,
        "match a.csv b.csv --anchors alone.csv --truth again.csv",
    );
    assert!(!said.contains("rows of the truth"), "{said}");
    assert!(said.contains("(3 of 3 non-anchor pairs)"), "{said}");
    let without = bench.run("match a.csv b.csv --anchors alone.csv").ok();
    assert_eq!(without.lines().count(), 5);
    for (text, parts) in [
        (
            "ann,nna\nann,\n",
            ["line 2, column 1", "without a partner", "line 1"],
        ),
        (
            ",nna\nann,nna\n",
            ["line 2, column 2", "with a partner", "line 1"],
        ),
        (
            "fay,,0.5\n",
            ["line 1, column 3", "the weight 0.5", "certain"],
        ),
        (
            "ann,nna\n,\n",
            ["line 2, column 1", "two empty fields", "no partner"],
        ),
    ] {
        bench.file("alone.csv", text);
        let mut words = vec!["alone.csv"];
        words.extend(parts);
        bench.refuses(line, &words);
        bench.refuses("suggest a.csv b.csv --anchors alone.csv", &words);
    }
}
