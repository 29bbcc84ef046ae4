use proptest::prelude::*;

use super::*;

const SHAPE: Shape = Shape {
    columns: 2..=3,
    ragged: false,
    attributes: false,
    longest_line: Shape::LINE,
    wanted: "two or three fields",
};

fn rows(text: &str) -> Result<Vec<Vec<String>>> {
    let mut table = Table::new(text.as_bytes(), "f", SHAPE);
    let mut rows = Vec::new();
    while let Some(row) = table.next()? {
        rows.push((0..row.len()).map(|i| row.get(i).to_owned()).collect());
    }
    Ok(rows)
}

fn first(text: &str) -> Vec<String> {
    rows(text).unwrap().swap_remove(0)
}

#[test]
fn the_first_row_decides_the_delimiter() {
    assert_eq!(first("a , b,1"), ["a", "b", "1"]);
    assert_eq!(first("Smith, J\tDoe, A\t1"), ["Smith, J", "Doe, A", "1"]);
    assert_eq!(first("New York,Los Angeles"), ["New York", "Los Angeles"]);
    assert_eq!(first("a;b;0,5"), ["a", "b", "0,5"]);
    assert_eq!(first("x;y,z,1"), ["x;y", "z", "1"]);
    assert_eq!(first("  a \t b  1 \t").len(), 3);
    assert_eq!(first("  a   b  1 "), ["a", "b", "1"]);
    assert_eq!(first("\"a\tb\" c"), ["a\tb", "c"]);
    assert_eq!(first("\"a;\"\"b\";c\t"), ["a;\"b", "c"]);
}

#[test]
fn comments_and_blank_lines_are_no_rows() {
    let found = rows("# a,b\n\n  \t\n % x\n\"#a\",b\n").unwrap();
    assert_eq!(found, [["#a", "b"]]);
}

#[test]
fn quotes_protect_and_double() {
    assert_eq!(first(" \"a,b\" ,\" \"\"c\"\" \""), ["a,b", " \"c\" "]);
    assert_eq!(first("5\" pipe,b"), ["5\" pipe", "b"]);
    assert_eq!(first("\"\",b,"), ["", "b", ""]);
    assert_eq!(first("\"a b\" \"\" 1"), ["a b", "", "1"]);
}

#[test]
fn bad_rows_are_named() {
    let message = |text: &str| rows(text).unwrap_err().to_string();
    assert_eq!(
        message("a,b\nc,\"d\n"),
        "f, line 2, column 2: found `\"d`, expected a closing quote on the same line"
    );
    assert_eq!(
        message("\"a\"b,c"),
        "f, line 1, column 1: found `b,c` after a closing quote, \
         expected a delimiter or the end of the line"
    );
    assert_eq!(
        message("\"a\"b c"),
        "f, line 1, column 1: found `b c` after a closing quote, \
         expected a delimiter or the end of the line"
    );
    assert_eq!(
        message("a,b\nc\n"),
        "f, line 2, column 2: found 1 field, expected 2 as in the first row"
    );
    assert_eq!(
        message("a,b,c,d\n"),
        "f, line 1, column 4: found 4 fields, expected two or three fields"
    );
}

proptest! {
    #[test]
    fn any_field_comes_back(fields in prop::collection::vec("[a-z,;\"#% \t\r\u{e4}\u{1f600}\u{a0}]{1,6}", 2)) {
        let mut bytes = b"head,er\n".to_vec();
        write_field(&mut bytes, &fields[0]).unwrap();
        bytes.push(b',');
        write_field(&mut bytes, &fields[1]).unwrap();
        bytes.push(b'\n');
        let text = String::from_utf8(bytes).unwrap();
        prop_assert_eq!(&rows(&text).unwrap()[1], &fields);
    }
}

#[test]
fn attributes_take_the_rest_and_names_may_be_one_fewer() {
    let shape = Shape {
        columns: 2..=9,
        ragged: true,
        attributes: true,
        ..SHAPE
    };
    let rows = |text: &str| {
        let mut table = Table::new(text.as_bytes(), "f", shape.clone());
        let mut rows: Vec<Vec<String>> = Vec::new();
        while let Some(row) = table.next()? {
            rows.push((0..row.len()).map(|i| row.get(i).to_owned()).collect());
        }
        Ok::<_, Error>(rows)
    };
    for text in ["a b {'c': 1, 'd': 2}", "\"a\" b {'c': 1, 'd': 2}"] {
        assert_eq!(rows(text).unwrap(), [["a", "b", "{'c': 1, 'd': 2}"]]);
    }
    assert_eq!(rows("a,b,{}").unwrap(), [["a", "b", "{}"]]);
    assert_eq!(rows("a,b\nx,0,1\ny,1,0").unwrap()[2], ["y", "1", "0"]);
    assert!(rows("a,b\nx,0,1\ny,1,0,0").is_err());
}

#[test]
fn fields_that_no_reader_could_give_back_are_not_written() {
    for field in ["", "a\nb", "a\0"] {
        assert!(write_field(&mut Vec::new(), field).is_err());
    }
}
