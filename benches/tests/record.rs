//! The figures of docs/benchmarks.md and of the README are those of the records in `record/`.

use std::{collections::BTreeSet, fs, path::Path};

/// A table: the names of its columns, and its rows.
type Table = (Vec<String>, Vec<Vec<String>>);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read_record(name: &str) -> Table {
    let path = root().join(format!("record/{name}.csv"));
    let mut reader =
        csv::Reader::from_path(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let header = reader.headers().expect("a header").iter().map(str::to_owned).collect();
    let rows = reader
        .records()
        .map(|row| row.expect("as many cells").iter().map(str::to_owned).collect())
        .collect();
    (header, rows)
}

fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The tables of a page, each with the link called "record" that stands between it and the table before.
fn tables(page: &str) -> Vec<(Option<String>, Table)> {
    let text = fs::read_to_string(root().join(page)).expect("the page");
    let (mut found, mut record) = (Vec::new(), None);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some((_, link)) = line.split_once("[record](") {
            let name =
                link.split_once(".csv").and_then(|(path, _)| path.split_once("benches/record/"));
            record = name.map(|(_, name)| name.to_owned());
        }
        if !line.starts_with('|') {
            continue;
        }
        lines.next();
        let mut rows = Vec::new();
        while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
            rows.push(cells(row));
        }
        found.push((record.take(), (cells(line), rows)));
    }
    found
}

fn assert_part_of(name: &str, (header, rows): &Table, page: &str) {
    let (columns, recorded) = read_record(name);
    let places: Vec<usize> = header
        .iter()
        .map(|column| columns.iter().position(|of| of == column))
        .map(|place| {
            place.unwrap_or_else(|| {
                panic!("{page}: {name} has the columns {columns:?}, not {header:?}")
            })
        })
        .collect();
    for row in rows {
        let is_recorded = recorded.iter().any(|of| {
            row.len() == places.len() && row.iter().zip(&places).all(|(cell, &at)| *cell == of[at])
        });
        assert!(is_recorded, "{page}: {name} has no row {row:?}");
    }
}

#[test]
fn every_table_of_figures_is_a_part_of_its_record() {
    let benchmarks = tables("../docs/benchmarks.md");
    assert!(benchmarks.len() > 5, "the page has tables");
    for (name, table) in benchmarks {
        let name = name.unwrap_or_else(|| {
            panic!("docs/benchmarks.md: no record before the table {:?}", table.0)
        });
        assert_part_of(&name, &table, "docs/benchmarks.md");
    }
    let readme: Vec<_> = tables("../README.md")
        .into_iter()
        .filter_map(|(name, table)| Some((name?, table)))
        .collect();
    assert_eq!(readme.len(), 1, "the README has one table of figures");
    readme.iter().for_each(|(name, table)| assert_part_of(name, table, "README.md"));
}

#[test]
fn the_index_lists_every_record() {
    let (header, rows) = read_record("index");
    assert_eq!(header, ["record", "machine", "command"]);
    assert!(rows.iter().flatten().all(|cell| !cell.is_empty()), "each has a machine and a command");
    let listed: BTreeSet<String> = rows.iter().map(|row| row[0].clone()).collect();
    assert_eq!(listed.len(), rows.len(), "each is listed once");
    let files = fs::read_dir(root().join("record")).expect("the folder");
    let there: BTreeSet<String> = files
        .map(|file| {
            file.expect("an entry")
                .path()
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name != "index")
        .collect();
    assert_eq!(listed, there);
    // Reading each also checks that its rows have as many cells as its header.
    there.iter().for_each(|name| assert!(!read_record(name).1.is_empty(), "{name} has no row"));
}
