//! The data of a page as a reader takes them: what is embedded for the view in 3D, put together again.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;
use xform_compare::judge::Report;
use xform_report::write_html;

pub(crate) struct ReadPage {
    pub(crate) html: String,
    pub(crate) view: Value,
    pub(crate) bytes: Vec<u8>,
}

impl ReadPage {
    pub(crate) fn of(report: &Report) -> Self {
        let mut html = Vec::new();
        write_html(report, &mut html).unwrap();
        let html = String::from_utf8(html).unwrap();
        let element = |id: &str| {
            let (_, behind) = html.split_once(&format!("id=\"{id}\">")).unwrap();
            behind.split_once("</script>").unwrap().0.to_owned()
        };
        let data: Value = serde_json::from_str(&element("xform-data")).unwrap();
        let bytes = STANDARD.decode(element("xform-bytes")).unwrap();
        Self { view: data["view"].clone(), bytes, html }
    }

    fn list<const N: usize>(&self, at: &Value, count: usize) -> Vec<[u8; N]> {
        let at = usize::try_from(at.as_u64().unwrap()).unwrap();
        assert_eq!(at % 4, 0, "lists begin where typed arrays can");
        let chunks = self.bytes[at..at + N * count].chunks_exact(N);
        chunks.map(|chunk| chunk.try_into().unwrap()).collect()
    }

    pub(crate) fn floats(&self, at: &Value, count: usize) -> Vec<f32> {
        self.list(at, count).into_iter().map(f32::from_le_bytes).collect()
    }

    pub(crate) fn shorts(&self, at: &Value, count: usize) -> Vec<i16> {
        self.list(at, count).into_iter().map(i16::from_le_bytes).collect()
    }

    pub(crate) fn words(&self, at: &Value, count: usize) -> Vec<u16> {
        self.list(at, count).into_iter().map(u16::from_le_bytes).collect()
    }

    pub(crate) fn octets(&self, at: &Value, count: usize) -> Vec<u8> {
        self.list::<1>(at, count).concat()
    }

    /// The corners of a part, in the mesh's space.
    pub(crate) fn positions(&self, part: &Value) -> Vec<[f64; 3]> {
        let steps = self.words(&part["positions"], 3 * count(&part["vertices"]));
        let place = |steps: &[u16]| {
            std::array::from_fn(|i| {
                number(&part["low"][i]) + number(&part["size"][i]) * f64::from(steps[i]) / 65_535.0
            })
        };
        steps.chunks_exact(3).map(place).collect()
    }

    pub(crate) fn indices(&self, part: &Value) -> Vec<usize> {
        let (mut at, mut next) = (count(&part["indices"]), 0);
        let mut index = || {
            let (mut below, mut shift) = (0, 0);
            loop {
                let byte = self.bytes[at];
                at += 1;
                below |= usize::from(byte & 0x7F) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
            let found: usize = next - below;
            next = next.max(found + 1);
            found
        };
        (0..count(&part["count"])).map(|_| index()).collect()
    }
}

pub(crate) fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}
