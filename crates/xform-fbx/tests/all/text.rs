//! FBX files as text, made in tests.

use std::fmt::Write;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// A file that is made node by node.
pub(crate) struct Fbx {
    models: String,
    connections: String,
    count: usize,
    /// The axis that is up, 1 for y and 2 for z, and centimetres of the unit.
    pub(crate) up: usize,
    pub(crate) unit: f64,
}

/// A node of a file.
pub(crate) struct Model<'a> {
    pub(crate) name: &'a str,
    pub(crate) parent: Option<usize>,
    pub(crate) inherit: u8,
    pub(crate) translation: [f64; 3],
    /// Degrees about x, y and z, applied in that order.
    pub(crate) rotation: [f64; 3],
    pub(crate) scale: [f64; 3],
    /// More properties, a line each.
    pub(crate) also: &'a str,
    pub(crate) has_cube: bool,
}

impl Default for Model<'_> {
    fn default() -> Self {
        Self {
            name: "node",
            parent: None,
            inherit: 1,
            translation: [0.0; 3],
            rotation: [0.0; 3],
            scale: [1.0; 3],
            also: "",
            has_cube: true,
        }
    }
}

impl Default for Fbx {
    fn default() -> Self {
        Self { models: String::new(), connections: String::new(), count: 0, up: 1, unit: 100.0 }
    }
}

/// A quaternion x y z w as degrees about x, y and z.
pub(crate) fn degrees([x, y, z, w]: [f64; 4]) -> [f64; 3] {
    let turn = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
    let (x, y, z) = turn.euler_angles();
    [x, y, z].map(f64::to_degrees)
}

fn joined(numbers: &[f64]) -> String {
    numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(",")
}

impl Fbx {
    pub(crate) fn add(&mut self, model: &Model<'_>) -> usize {
        let (index, id) = (self.count, 1000 + self.count);
        self.count += 1;
        let Model { name, inherit, translation, rotation, scale, also, .. } = model;
        let [translation, rotation, scale] =
            [translation, rotation, scale].map(|part| joined(part));
        let kind = if model.has_cube { "Mesh" } else { "Null" };
        write!(
            self.models,
            "\tModel: {id}, \"Model::{name}\", \"{kind}\" {{\n\t\tVersion: 232\n\t\tProperties70:  {{\n\
             \t\t\tP: \"InheritType\", \"enum\", \"\", \"\",{inherit}\n\
             \t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{translation}\n\
             \t\t\tP: \"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",{rotation}\n\
             \t\t\tP: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",{scale}\n{also}\t\t}}\n\t}}\n"
        )
        .unwrap();
        let parent = model.parent.map_or(0, |parent| 1000 + parent);
        self.connect(id, parent);
        if model.has_cube {
            let corners: Vec<f64> = (0..8)
                .flat_map(|i| {
                    Vector3::new(i >> 2, i >> 1 & 1, i & 1).map(|bit| f64::from(bit) - 0.5).data.0
                        [0]
                })
                .collect();
            self.object(
                4000 + id,
                &format!(
                    "\tGeometry: {}, \"Geometry::{name}\", \"Mesh\" {{\n\t\tVertices: *24 {{\n\t\t\ta: {}\n\t\t}}\n\
                     \t\tPolygonVertexIndex: *24 {{\n\t\t\ta: 0,1,3,-3,4,6,7,-6,0,4,5,-2,2,3,7,-7,0,2,6,-5,1,5,7,-4\n\t\t}}\n\
                     \t\tGeometryVersion: 124\n\t}}\n",
                    4000 + id,
                    joined(&corners)
                ),
                id,
            );
        }
        index
    }

    /// Adds an object as text, which is connected to nothing.
    pub(crate) fn object_without_owner(&mut self, text: &str) {
        self.models.push_str(text);
    }

    /// Adds an object as text, connected to another one.
    pub(crate) fn object(&mut self, id: usize, text: &str, to: usize) {
        self.models.push_str(text);
        self.connect(id, to);
    }

    pub(crate) fn connect(&mut self, from: usize, to: usize) {
        writeln!(self.connections, "\tC: \"OO\",{from},{to}").unwrap();
    }

    /// Connects an object to a property of another one.
    pub(crate) fn connect_to(&mut self, from: usize, to: usize, property: &str) {
        writeln!(self.connections, "\tC: \"OP\",{from},{to}, \"{property}\"").unwrap();
    }

    pub(crate) fn text(&self) -> String {
        let (up, front, sign) = if self.up == 1 { (1, 2, 1) } else { (2, 1, -1) };
        format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}}\n\
             GlobalSettings:  {{\n\tVersion: 1000\n\tProperties70:  {{\n\
             \t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",{up}\n\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n\
             \t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",{front}\n\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",{sign}\n\
             \t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n\
             \t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{:?}\n\t}}\n}}\n\
             Objects:  {{\n{}}}\nConnections:  {{\n{}}}\n",
            self.unit, self.models, self.connections
        )
    }
}
