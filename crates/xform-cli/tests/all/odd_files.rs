//! The program on malformed and odd files, all of them in one run.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;
use xform_scene::{ErrorCode, animation::NotSampledCode};

use crate::{
    odd::{self, Comes, Odd},
    program::{names, stderr, stdout, xform},
};

#[test]
fn every_odd_file_comes_to_what_it_should_in_one_run_and_one_line() {
    let folder = tempdir().unwrap();
    let files = odd::files();
    for (i, Odd { bytes, .. }) in files.iter().enumerate() {
        let kind = if bytes.starts_with(b"glTF") { "glb" } else { "gltf" };
        fs::write(folder.path().join(format!("{i:04}.{kind}")), bytes).unwrap();
    }
    let output = xform(folder.path(), &["audit", "--format", "jsonl", "."]);
    let (rows, errors) = (stdout(&output), stderr(&output));
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), files.len());
    let mut lines = 0;
    for (Odd { about, comes, .. }, row) in files.iter().zip(&rows) {
        let Comes::Refused(code, pointer) = comes else {
            assert_eq!(row["row"], "file", "{about}: {row}");
            continue;
        };
        let (others, more) = (row["others"].as_array().unwrap(), row["more"].as_u64().unwrap());
        lines += 1 + others.len() + usize::from(more > 0);
        assert_eq!((&row["row"], &row["code"]), (&"error".into(), &code.name().into()), "{about}");
        assert_eq!(row["pointer"], *pointer, "{about}");
        let line = row["error"].as_str().unwrap();
        assert!(line.ends_with(&format!(" ({})", code.name())), "{about}: {line}");
        assert!(errors.lines().any(|said| said == format!("xform: {line}")), "{about}: {line}");
        assert!(!line.contains(|c: char| c.is_control()) && line.len() < 400, "{about}: {line}");
    }
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(names(folder.path()).len(), files.len());
    // A line for each defect, and one for all.
    assert_eq!(errors.lines().count(), lines + 1, "{errors}");
}

#[test]
fn every_code_is_that_of_an_odd_file_but_those_that_need_more_than_one_file() {
    let comes: Vec<_> = odd::files().into_iter().map(|file| file.comes).collect();
    let refused = |code: &&ErrorCode| {
        !comes.iter().any(|comes| matches!(comes, Comes::Refused(found, _) if found == *code))
    };
    // A file that cannot be opened; one that does not fit in memory; one of more than a gigabyte; FBX; four thousand million nodes; a scene that is not from a
    // file.
    let not_here = [
        ErrorCode::Unreadable,
        ErrorCode::OutOfMemory,
        ErrorCode::TooLong,
        ErrorCode::NoFbx,
        ErrorCode::NotFbx,
        ErrorCode::FbxTruncated,
        ErrorCode::FbxTooDeep,
        ErrorCode::InvalidFbx,
        ErrorCode::FbxCrash,
        ErrorCode::FbxTimeout,
        ErrorCode::TooManyNodes,
        ErrorCode::InvalidScene,
    ];
    assert!(ErrorCode::ALL.iter().filter(refused).eq(&not_here));
    let not_sampled = |code: &&NotSampledCode| !comes.contains(&Comes::NotSampled(**code));
    // Buffers in other files are not looked for by a reader of bytes; they are in gltf_animation_files.rs.
    let not_here = [
        NotSampledCode::NoFolder,
        NotSampledCode::OutsideFolder,
        NotSampledCode::Unreadable,
        NotSampledCode::LfsPointer,
        NotSampledCode::TooManyNodes,
    ];
    assert!(NotSampledCode::ALL.iter().filter(not_sampled).eq(&not_here));
}
