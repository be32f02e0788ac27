//! Binary FBX files, made in tests.

/// A record of a binary file.
pub(crate) struct Record {
    pub(crate) name: &'static str,
    /// Properties as they are stored, each with its type before it.
    pub(crate) properties: Vec<Vec<u8>>,
    pub(crate) children: Vec<Record>,
}

pub(crate) fn text(text: &str) -> Vec<u8> {
    [&b"S"[..], &u32::try_from(text.len()).unwrap().to_le_bytes(), text.as_bytes()].concat()
}

pub(crate) fn int(number: i32) -> Vec<u8> {
    [&b"I"[..], &number.to_le_bytes()].concat()
}

pub(crate) fn long(number: i64) -> Vec<u8> {
    [&b"L"[..], &number.to_le_bytes()].concat()
}

pub(crate) fn double(number: f64) -> Vec<u8> {
    [&b"D"[..], &number.to_le_bytes()].concat()
}

/// An array of doubles; `encoding` 0 is plain, 1 deflated.
pub(crate) fn doubles(count: u32, encoding: u32, bytes: &[u8]) -> Vec<u8> {
    let len = u32::try_from(bytes.len()).unwrap();
    [&b"d"[..], &count.to_le_bytes(), &encoding.to_le_bytes(), &len.to_le_bytes(), bytes].concat()
}

impl Record {
    pub(crate) fn new(name: &'static str, properties: Vec<Vec<u8>>, children: Vec<Self>) -> Self {
        Self { name, properties, children }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 12]);
        out.push(u8::try_from(self.name.len()).unwrap());
        out.extend(self.name.as_bytes());
        let before = out.len();
        self.properties.iter().for_each(|property| out.extend(property));
        let len = out.len() - before;
        self.children.iter().for_each(|child| child.write(out));
        if !self.children.is_empty() {
            out.extend([0; 13]);
        }
        let numbers = [out.len(), self.properties.len(), len];
        let numbers = numbers.map(|number| u32::try_from(number).unwrap().to_le_bytes());
        out[start..start + 12].copy_from_slice(numbers.as_flattened());
    }
}

/// A file of a version.
pub(crate) fn file(version: u32, records: &[Record]) -> Vec<u8> {
    let mut out = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    out.extend(version.to_le_bytes());
    records.iter().for_each(|record| record.write(&mut out));
    out.extend([0; 13]);
    out
}
