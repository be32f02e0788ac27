//! Documents that are nearly right: each member is there or not, and mostly of its type.

#![no_main]

mod audited;

use std::fmt::Write;

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::{Corpus, fuzz_target};

/// What may stand anywhere.
const ODD: [&str; 16] = [
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "\"a\\ud800\"",
    "-1",
    "0.5",
    "1.0",
    "1e400",
    "-1e400",
    "1e-400",
    "4294967296",
    "18446744073709551616",
    "[[{}]]",
    "{\"a\": [1]}",
];

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "-0",
    "0.7071067811865476",
    "3",
    "1e-8",
    "1e8",
    "1e150",
    "1e300",
    "-1e308",
    "5e-324",
    "1e400",
    "10",
];

struct Writer<'a, 'b> {
    u: &'b mut Unstructured<'a>,
    json: String,
}

impl Writer<'_, '_> {
    /// The value, or something odd in its place.
    fn value(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.u.ratio(1, 64)? {
            self.json += self.u.choose(&ODD)?;
            return Ok(());
        }
        write(self)
    }

    fn array(&mut self, most: usize, one: impl Fn(&mut Self) -> Result<()>) -> Result<()> {
        self.value(|to| {
            to.json.push('[');
            for i in 0..to.u.int_in_range(0..=most)? {
                to.json += if i > 0 { "," } else { "" };
                one(to)?;
            }
            to.json.push(']');
            Ok(())
        })
    }

    fn object(&mut self, members: &[(&str, &dyn Fn(&mut Self) -> Result<()>)]) -> Result<()> {
        self.value(|to| {
            to.json.push('{');
            let mut comma = "";
            for (name, write) in members {
                if to.u.ratio(1, 2)? {
                    write!(to.json, "{comma}\"{name}\":").unwrap();
                    write(to)?;
                    comma = ",";
                }
            }
            to.json.push('}');
            Ok(())
        })
    }

    fn index(&mut self) -> Result<()> {
        self.value(|to| {
            write!(to.json, "{}", to.u.int_in_range(0..=9)?).unwrap();
            Ok(())
        })
    }

    fn number(&mut self) -> Result<()> {
        self.value(|to| {
            to.json += to.u.choose(&NUMBERS)?;
            Ok(())
        })
    }

    fn numbers(&mut self, count: usize) -> Result<()> {
        self.value(|to| {
            to.json.push('[');
            for i in 0..count {
                to.json += if i > 0 { "," } else { "" };
                to.number()?;
            }
            to.json.push(']');
            Ok(())
        })
    }

    fn matrix(&mut self) -> Result<()> {
        self.value(|to| {
            to.json.push('[');
            for i in 0..16 {
                to.json += if i > 0 { "," } else { "" };
                match i {
                    3 | 7 | 11 => to.json.push('0'),
                    15 => to.json.push('1'),
                    _ => to.number()?,
                }
            }
            to.json.push(']');
            Ok(())
        })
    }

    fn node(&mut self) -> Result<()> {
        self.object(&[
            ("name", &|to| to.value(|to| Ok(to.json += "\"a\""))),
            ("children", &|to| to.array(3, Self::index)),
            ("translation", &|to| to.numbers(3)),
            ("rotation", &|to| to.numbers(4)),
            ("scale", &|to| to.numbers(3)),
            ("mesh", &Self::index),
        ])
    }

    fn odd_node(&mut self) -> Result<()> {
        self.object(&[
            ("matrix", &Self::matrix),
            ("skin", &Self::index),
            ("children", &|to| to.array(3, Self::index)),
            ("extensions", &|to| to.object(&[("EXT_mesh_gpu_instancing", &Self::index)])),
            ("scale", &|to| to.numbers(3)),
        ])
    }

    fn document(&mut self) -> Result<()> {
        let primitive = |to: &mut Self| {
            to.object(&[("attributes", &|to| to.object(&[("POSITION", &Self::index)]))])
        };
        self.object(&[
            ("scene", &Self::index),
            ("scenes", &|to| {
                to.array(2, |to| to.object(&[("nodes", &|to| to.array(4, Self::index))]))
            }),
            ("nodes", &|to| {
                to.array(10, |to| if to.u.ratio(3, 4)? { to.node() } else { to.odd_node() })
            }),
            ("meshes", &|to| {
                to.array(3, |to| to.object(&[("primitives", &|to| to.array(2, primitive))]))
            }),
            ("accessors", &|to| {
                to.array(3, |to| {
                    to.object(&[
                        ("componentType", &|to| to.value(|to| Ok(to.json += "5120"))),
                        ("normalized", &|to| to.value(|to| Ok(to.json += "true"))),
                        ("min", &|to| to.numbers(3)),
                        ("max", &|to| to.numbers(3)),
                    ])
                })
            }),
            ("skins", &|to| {
                to.array(2, |to| to.object(&[("joints", &|to| to.array(3, Self::index))]))
            }),
        ])
    }
}

fn run(bytes: &[u8]) -> Result<()> {
    let mut u = Unstructured::new(bytes);
    let mut writer = Writer { u: &mut u, json: String::new() };
    writer.document()?;
    let document = writer.json;
    if let Some(members) = document.strip_prefix('{') {
        let comma = if members == "}" { "" } else { "," };
        let whole = format!("{{\"asset\":{{\"version\":\"2.0\"}}{comma}{members}");
        audited::audited(whole.as_bytes());
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    match run(bytes) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
